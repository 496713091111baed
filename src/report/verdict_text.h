#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verdict/verdict.h"

namespace kbeval {

/// Lines of a verdict's message that are shown unless told otherwise.
inline constexpr std::size_t default_message_lines = 40;

/// What a person reads after an evaluation, ending in a newline. Texts from outside can't send control codes
/// to the terminal. At most `message_lines` lines of the message are shown; what was left out is said.
std::string verdict_text(const Verdict& verdict, bool colour,
                         std::size_t message_lines = default_message_lines);

/// One line on how it ended and why that is, or is no, success: `correct, but not faster than the reference:
/// ...`.
std::string outcome_in_words(const Verdict& verdict);

/// One line an evaluation under a heading line: what `kbeval log` prints. Empty where there are none.
std::string verdict_table(const std::vector<Verdict>& verdicts, bool colour);

}  // namespace kbeval
