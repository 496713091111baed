#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace kbeval {

// What stands before the counts in the header of an ACE bullet.
inline constexpr std::string_view helpful_mark = " helpful=";
inline constexpr std::string_view harmful_mark = " harmful=";

inline std::string lower_case(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

}  // namespace kbeval
