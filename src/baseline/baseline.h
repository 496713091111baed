#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stats/bootstrap.h"

namespace kbeval {

/// Times of one round, milliseconds: blocks of eager and compiled on the same inputs.
struct BaselineRound {
    std::vector<double> eager_ms;
    std::vector<double> compile_ms;  ///< empty where the compiled reference takes no part
};

/// How fast a problem's reference is on a device: eager, and under torch.compile.
struct Baseline {
    std::string id;  ///< 32 hex digits
    std::string created;
    std::string problem;
    std::string problem_digest;
    std::string evaluator;
    std::string device;
    std::string gpu;
    std::string size;  ///< full or smoke
    std::uint64_t seed = 0;
    double seconds = 0;                ///< that measuring it took, without torch.compile
    std::string failure;               ///< why there is no time at all; empty where there is one
    std::optional<Interval> eager_ms;  ///< median over all forwards, with its 95 % interval
    std::optional<Interval> compile_ms;
    std::optional<Interval> speedup;         ///< of torch.compile: ratio of medians
    std::string compile_note;                ///< why there is no compiled time, or what is odd about it
    std::optional<double> compile_seconds;   ///< that compiling took, caches as they were
    std::optional<double> eager_peak_bytes;  ///< in one forward: inputs, weights, intermediate results
    std::optional<double> compile_peak_bytes;
    std::optional<double> roofline_ms;   ///< at least; nothing for an unknown GPU or at smoke size
    std::optional<double> max_abs_diff;  ///< between eager's and compiled's outputs
    int trials = 0;                      ///< timed forwards of each
    std::vector<BaselineRound> rounds;
    std::vector<std::pair<std::string, std::string>> facts;  ///< versions of software, state of the GPU

    /// Share of the roofline that eager reaches.
    [[nodiscard]] std::optional<double> roofline_share() const;
};

/// Fills times, intervals, speedup and trials from the rounds. Needs at least 4 rounds, each with a time;
/// throws std::invalid_argument otherwise.
void summarize(Baseline& baseline);

}  // namespace kbeval
