#pragma once

#include <functional>
#include <vector>

#include "calibration/calibration.h"
#include "calibration/schedule.h"
#include "judge/evaluation.h"

namespace kbeval {

struct CalibrationLimits {
    double seconds = 0;   ///< no timing begins that would probably end later; 0: no limit
    bool repeat = false;  ///< start over with fresh processes until the time is up
    std::uint64_t seed = 0;
};

/// Times one problem's reference against itself in fresh processes (time_against_itself).
using TimeCell = std::function<void(const CalibrationProblem& problem, const std::vector<SelfTiming>& timings,
                                    const std::function<bool(const SelfTimingResult&)>& done)>;

/// Runs the cells in order and gathers their timings; `complete` says whether all were made. A cell that
/// fails is named in `failures` and costs no other. Throws an infrastructure error where none succeeded. The
/// caller fills in what is calibrated (evaluator, device, GPU).
Calibration run_calibration(const std::vector<CalibrationCell>& cells, const CalibrationLimits& limits,
                            const TimeCell& time_cell);

}  // namespace kbeval
