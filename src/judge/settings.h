#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/layout.h"
#include "timing/process_spread.h"

namespace kbeval {

/// Everything a user can set that may change a verdict, with the defaults that count as "the evaluator".
struct Settings {
    int seeds = 5;
    bool exact_oracle = false;   ///< also compare with the reference in float64 (--oracle fp64)
    std::optional<double> atol;  ///< instead of the problem's own
    std::optional<double> rtol;
    double time_budget = 240;    ///< seconds for the timing stage
    double build_timeout = 300;  ///< seconds for building, and for the first forward (which compiles Triton)
    double forward_timeout = 120;  ///< seconds for any later forward
    /// Seconds for torch.compile of the reference, 0 leaves it out; unset: 180 on a GPU, left out on the CPU.
    std::optional<double> compile_timeout;
    int min_rounds = 10;
    int min_pairs = 10;
    int max_pairs = 250;
    double target_half_width = 0.0025;  ///< of the interval, relative: timing stops when it is this tight
    double block_ms = 40;               ///< device time a block of timed forwards aims at
    /// Defences that a test has switched off (judge/test_layers.h); each is a flag, so none of this is a
    /// success.
    std::vector<std::string> layers_off;
    double warm_ms = 8;  ///< untimed forwards before each block
    /// How long a GPU is held before each timed forward, so that the host's work of launching its first
    /// kernel (40 to 90 us for a Triton kernel) is done before the clock starts. Microseconds.
    double head_start_us = 300;
    ProcessSpread process_spread;  ///< what the interval is widened by
};

/// Names and values of all settings as text, exact: what is stored beside a verdict and hashed into the
/// digest.
std::vector<std::pair<std::string, std::string>> settings_to_pairs(const Settings& settings);

/// The settings that pairs stand for; those that are not named keep their defaults. Throws an input error for
/// a name that this kbeval doesn't know or a value that is no number.
Settings settings_from_pairs(const std::vector<std::pair<std::string, std::string>>& pairs);

/// 16 hex digits over the sources of kbeval, of its native libraries and of the harness, and over `settings`.
/// Verdicts with different digests are not comparable.
std::string evaluator_digest(const Layout& layout, const Settings& settings);

}  // namespace kbeval
