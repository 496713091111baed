#pragma once

#include <string>
#include <vector>

namespace kbeval {

/// Variable with the names of defences to leave out, separated by commas. For tests only, which prove that
/// each layer catches what the one before it let pass: every name becomes a flag of the verdict
/// (`layers_off:NAME`) and part of the evaluator digest, so that no such verdict is a success or is compared
/// with a real one.
inline constexpr const char* layers_off_variable = "KBEVAL_TEST_LAYERS_OFF";

/// Names: `static_check` (its violations are ignored), `freeze` (the candidate is not stopped between its
/// turns). Sorted, each once. Throws an input error for any other name. The sandbox is no such layer: what it
/// confines are real exploits, which would harm the machine of whoever runs the tests.
std::vector<std::string> parse_layers_off(const std::string& text);

/// Those that the variable names; none where it isn't set.
std::vector<std::string> layers_off_from_environment();

}  // namespace kbeval
