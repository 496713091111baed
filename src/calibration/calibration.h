#pragma once

#include <string>
#include <vector>

namespace kbeval {

/// One timing of a reference against itself under the normal judge.
struct CalibrationTiming {
    std::string problem;
    std::string size;         ///< full or smoke
    int processes = 0;        ///< which set of processes: timings of one set share memory addresses
    double gain = 0;          ///< by how much the reference was meant to be slowed; 0: identical code
    double true_speedup = 1;  ///< what an exact clock would say: 1 + handicap / cand_ms
    double start_s = 0;       ///< since the calibration began
    double seconds = 0;
    double ref_ms = 0;
    double cand_ms = 0;
    double speedup = 0;
    double lo95 = 0;
    double hi95 = 0;
    double judge_speedup = 0;  ///< by the judge's clock around blocks
    double judge_lo95 = 0;
    double judge_hi95 = 0;
    int trials = 0;
    bool fast1 = false;
    std::string flags;  ///< separated by "; "
};

/// What `kbeval calibrate` measured and stored.
struct Calibration {
    std::string id;  ///< 32 hex digits
    std::string created;
    std::string evaluator;  ///< digest it holds for
    std::string device;
    std::string gpu;
    double seconds = 0;
    bool complete = false;              ///< every timing that was asked for was made
    std::vector<std::string> failures;  ///< problems that could not be timed, and why
    std::vector<CalibrationTiming> timings;
};

}  // namespace kbeval
