#include "judge/kernel_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

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

bool is_own_kernel(const std::string& symbol, const std::vector<OwnKernel>& defined) {
    const std::string name = base_name(demangle(symbol));
    return std::any_of(defined.begin(), defined.end(),
                       [&](const OwnKernel& kernel) { return kernel.name == name || kernel.name == symbol; });
}

}  // namespace kbeval
