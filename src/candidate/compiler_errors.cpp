#include "candidate/compiler_errors.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace kbeval {

namespace {

constexpr std::size_t max_line = 300;
constexpr int context_lines = 2;  ///< the source line and the caret that gcc prints after an error
constexpr int fallback_lines = 8;

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// A line in which a compiler or linker states an error, not one that only repeats or counts them.
bool states_error(std::string_view line) {
    static constexpr std::array<std::string_view, 6> marks{
        ": error:", ": fatal error:", ") : error", "): error:", "ptxas error", "undefined reference"};
    static constexpr std::array<std::string_view, 5> triton{"CompilationError", "error: ", "NameError(",
                                                            "TypeError(", "ValueError("};
    const auto found = [&](std::string_view mark) { return contains(line, mark); };
    if (contains(line, "errors detected in the compilation") || contains(line, "ninja: build stopped")) {
        return false;
    }
    return std::any_of(marks.begin(), marks.end(), found) || std::any_of(triton.begin(), triton.end(), found);
}

/// Lines of ninja and of command echoes say nothing about the mistake.
bool is_noise(std::string_view line) {
    return line.starts_with("[") || line.starts_with("FAILED:") || contains(line, "/nvcc ") ||
           line.starts_with("c++ ") || contains(line, "-DTORCH_EXTENSION_NAME") || line.starts_with("ninja:");
}

void add_line(std::string& text, std::string_view line) {
    text += text.empty() ? "" : "\n";
    text += line.substr(0, max_line);
}

}  // namespace

std::string first_compiler_errors(std::string_view output, int max_lines) {
    const auto lines = split_lines(output);
    std::string text;
    int taken = 0;
    for (std::size_t i = 0; i < lines.size() && taken < max_lines; ++i) {
        if (is_noise(lines[i]) || !states_error(lines[i])) {
            continue;
        }
        add_line(text, lines[i]);
        ++taken;
        for (int k = 1; k <= context_lines && i + 1 < lines.size() && taken < max_lines; ++k) {
            const std::string_view next = lines[i + 1];
            if (is_noise(next) || states_error(next) || next.empty()) {
                break;
            }
            add_line(text, next);
            ++taken;
            ++i;
        }
    }
    if (!text.empty()) {
        return text;
    }
    std::vector<std::string_view> useful;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(useful),
                 [](std::string_view line) { return !line.empty() && !is_noise(line); });
    const std::size_t keep = std::min<std::size_t>(useful.size(), fallback_lines);
    for (std::size_t i = useful.size() - keep; i < useful.size(); ++i) {
        add_line(text, useful[i]);
    }
    return text;
}

}  // namespace kbeval
