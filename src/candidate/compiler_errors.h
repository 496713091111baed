#pragma once

#include <string>
#include <string_view>

namespace kbeval {

/// The first real errors of a compiler's output (gcc, nvcc, ptxas, ld, Triton), with the lines that belong to
/// them, in at most `max_lines` lines. Falls back to the end of the output where no error line is found.
std::string first_compiler_errors(std::string_view output, int max_lines = 12);

}  // namespace kbeval
