#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "candidate/static_check.h"

namespace kbeval {

/// C++ name of a symbol; the symbol itself where it is no mangled name.
std::string demangle(const std::string& symbol);

/// The function's own name in a demangled signature: without return type, namespaces, template arguments and
/// parameters. `void ns::relu<float, 4>(float*)` gives `relu`.
std::string base_name(std::string_view demangled);

/// Whether a kernel with this (possibly mangled) name is one that the candidate's source defines.
bool is_own_kernel(const std::string& symbol, const std::vector<OwnKernel>& defined);

}  // namespace kbeval
