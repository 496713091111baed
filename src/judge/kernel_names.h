#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "candidate/static_check.h"
#include "protocol/messages.h"

namespace kbeval {

/// C++ name of a symbol; the symbol itself where it is no mangled name.
std::string demangle(const std::string& symbol);

/// The function's own name in a demangled signature: without return type, namespaces, template arguments and
/// parameters. `void ns::relu<float, 4>(float*)` gives `relu`.
std::string base_name(std::string_view demangled);

/// Whether a name is of the kind that PyTorch, Inductor, cuBLAS, cuDNN, CUTLASS or CUB give their kernels:
/// such a kernel is nobody's own, whatever the source defines under that name.
bool is_library_name(const std::string& symbol);

/// Whether the candidate launched every kernel of the reference at least as often as the reference: then its
/// own kernels, whatever their share, stand beside the library's and replace none.
bool replaces_nothing(const std::vector<protocol::KernelRecord>& candidate,
                      const std::vector<protocol::KernelRecord>& reference);

/// Whether a kernel with this (possibly mangled) name is one that the candidate's source defines, and neither
/// named like a library's nor one that the reference launches.
bool is_own_kernel(const std::string& symbol, const std::vector<OwnKernel>& defined,
                   const std::vector<protocol::KernelRecord>& reference = {});

}  // namespace kbeval
