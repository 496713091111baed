#include "judge/calibration_run.h"

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "stats/random.h"

namespace kbeval {

namespace {

constexpr std::size_t max_failures = 100;

CalibrationTiming timing_from(const CalibrationProblem& problem, double gain,
                              const SelfTimingResult& result) {
    const Verdict& v = result.verdict;
    CalibrationTiming t;
    t.problem = problem.id;
    t.size = to_string(problem.size);
    t.gain = gain;
    t.ref_ms = v.ref_ms.value();
    t.cand_ms = v.cand_ms.value();
    t.true_speedup = 1 + result.handicap_us / 1000 / t.cand_ms;
    t.speedup = v.speedup.value();
    t.lo95 = v.speedup_lo95.value();
    t.hi95 = v.speedup_hi95.value();
    t.judge_speedup = v.judge_speedup.value();
    t.judge_lo95 = v.judge_speedup_lo95.value();
    t.judge_hi95 = v.judge_speedup_hi95.value();
    t.trials = v.trials;
    t.fast1 = v.fast1;
    t.flags = join(v.flags, "; ");
    return t;
}

class Run {
  public:
    Run(const CalibrationLimits& limits, const TimeCell& time_cell)
        : limits_(limits), time_cell_(time_cell) {}

    Calibration over(const std::vector<CalibrationCell>& cells) {
        bool went_on = true;
        do {
            for (const CalibrationCell& cell : cells) {
                went_on = time_left() && one_cell(cell);
                if (!went_on) {
                    break;
                }
            }
        } while (limits_.repeat && went_on && !calibration_.timings.empty());
        if (calibration_.timings.empty()) {
            throw infrastructure_error(calibration_.failures.empty() ? "the time was up before any timing"
                                                                     : calibration_.failures.front());
        }
        calibration_.seconds = seconds_since(start_);
        calibration_.complete = (went_on || limits_.repeat) && calibration_.failures.empty();
        return std::move(calibration_);
    }

  private:
    [[nodiscard]] bool time_left() const {
        return limits_.seconds <= 0 || seconds_since(start_) + longest_ < limits_.seconds;
    }

    /// False where the time was up before all of the cell's timings were made.
    bool one_cell(const CalibrationCell& cell) {
        std::vector<SelfTiming> timings;
        for (const double gain : cell.gains) {
            timings.push_back({gain, derive_seed(limits_.seed, 0, next_seed_++) >> 1U});
        }
        const int processes = cells_++;
        std::size_t made = 0;
        auto begin = SteadyClock::now();
        const auto done = [&](const SelfTimingResult& result) {
            CalibrationTiming timing = timing_from(cell.problem, cell.gains[made], result);
            timing.processes = processes;
            timing.start_s = Seconds(begin - start_).count();
            timing.seconds = seconds_since(begin);
            longest_ = std::max(longest_, timing.seconds);
            calibration_.timings.push_back(std::move(timing));
            begin = SteadyClock::now();
            return ++made == cell.gains.size() || time_left();
        };
        try {
            time_cell_(cell.problem, timings, done);
        } catch (const Error& error) {
            if (calibration_.failures.size() < max_failures) {
                calibration_.failures.push_back(cell.problem.id + ": " + error.what());
            }
            return true;
        }
        return made == cell.gains.size();
    }

    const CalibrationLimits& limits_;
    const TimeCell& time_cell_;
    SteadyClock::time_point start_ = SteadyClock::now();
    Calibration calibration_;
    double longest_ = 0;
    int cells_ = 0;
    std::uint64_t next_seed_ = 0;
};

}  // namespace

Calibration run_calibration(const std::vector<CalibrationCell>& cells, const CalibrationLimits& limits,
                            const TimeCell& time_cell) {
    return Run(limits, time_cell).over(cells);
}

}  // namespace kbeval
