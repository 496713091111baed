#include "judge/kernel_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <regex>

namespace kbeval {

std::string demangle(const std::string& symbol) {
    if (!symbol.starts_with("_Z")) {
        return symbol;
    }
    struct Free {
        void operator()(char* text) const { std::free(text); }  // NOLINT: allocated by __cxa_demangle
    };
    int status = 0;
    const std::unique_ptr<char, Free> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status));
    return status == 0 ? text.get() : symbol;
}

std::string base_name(std::string_view name) {
    // The parameter list is the last bracket at depth 0 outside of angle brackets; `(anonymous namespace)` is
    // no list.
    std::string flat;
    int depth = 0;
    constexpr std::string_view anonymous = "(anonymous namespace)";
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name.substr(i).starts_with(anonymous)) {
            i += anonymous.size() - 1;
            continue;
        }
        const char c = name[i];
        if (c == '<') {
            ++depth;
        } else if (c == '>') {
            --depth;
        } else if (depth == 0) {
            if (c == '(') {
                break;
            }
            flat += c;
        }
    }
    if (flat.empty()) {
        return std::string(name);
    }
    const std::size_t start = flat.find_last_of(" :*&");
    return start == std::string::npos ? flat : flat.substr(start + 1);
}

bool is_library_name(const std::string& symbol) {
    static constexpr std::array<std::string_view, 12> namespaces{
        "at::",       "at_cuda_detail::", "c10::",  "cub::", "thrust::",          "cutlass::",
        "cutlass3x_", "cudnn::",          "cublas", "cask_", "internal::gemvx::", "triton_kernels::"};
    static constexpr std::array<std::string_view, 11> beginnings{
        "ampere_", "volta_", "turing_",          "maxwell_",         "nvjet_",          "cutlass_",
        "cudnn_",  "cublas", "triton_poi_fused", "triton_red_fused", "triton_per_fused"};
    // cuBLAS has these in no namespace. As templates they are mangled, which a Triton kernel's name never is.
    static constexpr std::array<std::string_view, 9> names{
        "gemv2T_kernel_val",   "gemv2N_kernel",    "gemvNSP_kernel",
        "gemmSN_NN_kernel",    "gemmSN_TN_kernel", "gemmk1_kernel",
        "splitKreduce_kernel", "dot_kernel",       "reduce_1Block_kernel"};
    static const std::regex xmma("sm[0-9]+_xmma.*");
    std::string full = demangle(symbol);
    const bool mangled = full != symbol;
    if (full.starts_with("void ")) {
        full = full.substr(5);
    }
    const std::string name = base_name(full);
    const auto starts = [](const std::string& text) {
        return [&text](std::string_view beginning) { return text.starts_with(beginning); };
    };
    return std::any_of(namespaces.begin(), namespaces.end(), starts(full)) ||
           std::any_of(beginnings.begin(), beginnings.end(), starts(name)) || std::regex_match(name, xmma) ||
           (mangled && std::find(names.begin(), names.end(), name) != names.end());
}

bool replaces_nothing(const std::vector<protocol::KernelRecord>& candidate,
                      const std::vector<protocol::KernelRecord>& reference) {
    std::map<std::string, std::int64_t> launches;
    for (const auto& kernel : candidate) {
        launches[kernel.name] += kernel.launches;
    }
    return !reference.empty() && std::all_of(reference.begin(), reference.end(), [&](const auto& kernel) {
        return launches[kernel.name] >= kernel.launches;
    });
}

bool is_own_kernel(const std::string& symbol, const std::vector<OwnKernel>& defined,
                   const std::vector<protocol::KernelRecord>& reference) {
    if (is_library_name(symbol) ||
        std::any_of(reference.begin(), reference.end(),
                    [&](const protocol::KernelRecord& kernel) { return kernel.name == symbol; })) {
        return false;
    }
    const std::string name = base_name(demangle(symbol));
    return std::any_of(defined.begin(), defined.end(),
                       [&](const OwnKernel& kernel) { return kernel.name == name || kernel.name == symbol; });
}

}  // namespace kbeval
