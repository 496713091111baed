#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace kbeval {

/// A problem of a calibration and the size it is timed at.
struct CalibrationProblem {
    std::string id;
    Size size = Size::full;
};

/// The spread of problems that is timed unless the user names others: on a GPU from tens of microseconds (two
/// at smoke size) to about 40 ms on an H200, of several families; on the CPU small ones at smoke size.
std::vector<CalibrationProblem> default_problems(bool cuda);

/// Timings that share one set of processes.
struct CalibrationCell {
    CalibrationProblem problem;
    std::vector<double> gains;  ///< one for each timing, 0 for identical code, in random order
};

struct CalibrationGoal {
    std::vector<CalibrationProblem> problems;
    int identical = 200;        ///< timings of identical code, over all problems
    std::vector<double> gains;  ///< known gains to detect
    int each_gain = 40;         ///< timings of each
    int most_in_cell = 14;      ///< timings that one set of processes makes
    std::uint64_t seed = 0;
};

/// Cells in the order in which they are run: pass after pass over all problems, so that a calibration that is
/// cut short covers all problems alike and drift of the machine is spread over them. Each problem has at
/// least two sets of processes where there are timings enough.
std::vector<CalibrationCell> schedule(const CalibrationGoal& goal);

}  // namespace kbeval
