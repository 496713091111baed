#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "calibration/calibration.h"
#include "stats/proportion.h"

namespace kbeval {

/// What timings of identical code say, over all problems or over one.
struct IdenticalSummary {
    Proportion false_fast1;    ///< called faster
    Proportion flagged;        ///< with any flag
    Proportion covered;        ///< 95 % interval holds the true speedup, 1
    Proportion judge_covered;  ///< likewise by the judge's clock
    // abs(speedup - 1); of nothing where there are no timings
    std::optional<double> median_off;
    std::optional<double> most_off;
    std::optional<double> judge_median_off;
    std::optional<double> judge_most_off;
};

struct ProblemSummary {
    std::string problem;
    std::string size;
    double ref_ms = 0;  ///< median
    IdenticalSummary identical;
    /// Change of the median speedup and of the median reference time from the first half of this problem's
    /// identical timings to the second, relative; nothing of fewer than four.
    std::optional<double> speedup_drift;
    std::optional<double> time_drift;
};

/// How often a known gain was called fast1.
struct GainSummary {
    double gain = 0;
    Proportion detected;       ///< over all problems
    Proportion detected_long;  ///< over forwards of 2 ms and longer
    Proportion covered;        ///< intervals that hold the true speedup
};

struct CalibrationSummary {
    IdenticalSummary identical;
    std::vector<ProblemSummary> problems;  ///< shortest forward first
    std::vector<GainSummary> gains;
    std::optional<double> most_speedup_drift;  ///< largest absolute value over problems
    std::optional<double> most_time_drift;
    /// Smallest known gain detected in at least 95 % of its timings, as all larger ones are; on all problems,
    /// and on those of 2 ms and longer.
    std::optional<double> reliable_gain;
    std::optional<double> reliable_gain_long;
};

inline constexpr double long_forward_ms = 2;
inline constexpr double reliable_share = 0.95;

CalibrationSummary summarize(const Calibration& calibration);

/// One line for `doctor`.
std::string summary_line(const Calibration& calibration);

/// The calibration with its summary and, where `timings` is set, every timing.
nlohmann::ordered_json to_json(const Calibration& calibration, bool timings);

}  // namespace kbeval
