#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/error.h"
#include "calibration/schedule.h"
#include "calibration/summary.h"
#include "judge/calibration_run.h"
#include "report/calibration_text.h"
#include "stats/proportion.h"

namespace kbeval {
namespace {

using ::testing::HasSubstr;

TEST(Proportion, ExactBoundsOfTextbookCases) {
    const Proportion p = proportion(5, 200);  // Clopper-Pearson: 0.0082 to 0.0574
    EXPECT_NEAR(p.share, 0.025, 1e-12);
    EXPECT_NEAR(p.low, 0.00817, 5e-5);
    EXPECT_NEAR(p.high, 0.05739, 5e-5);
    EXPECT_NEAR(proportion(0, 200).high, 1 - std::pow(0.025, 1.0 / 200), 1e-9);
    EXPECT_EQ(proportion(0, 200).low, 0);
    EXPECT_NEAR(proportion(10, 10).low, std::pow(0.025, 0.1), 1e-9);
    EXPECT_EQ(proportion(10, 10).high, 1);
    EXPECT_EQ(proportion(0, 0).high, 1);
    EXPECT_THROW(proportion(3, 2), std::invalid_argument);
    EXPECT_THROW(proportion(-1, 2), std::invalid_argument);
}

CalibrationGoal goal_of(int identical, int each_gain) {
    CalibrationGoal goal;
    goal.problems = default_problems(true);
    goal.identical = identical;
    goal.gains = {0.005, 0.01, 0.02};
    goal.each_gain = each_gain;
    goal.seed = 7;
    return goal;
}

TEST(CalibrationSchedule, MakesWhatWasAskedForSpreadEvenly) {
    const auto cells = schedule(goal_of(200, 40));
    std::map<double, int> made;
    std::map<std::pair<std::string, Size>, int> cells_of;
    for (const auto& cell : cells) {
        for (const double gain : cell.gains) {
            ++made[gain];
        }
        ++cells_of[{cell.problem.id, cell.problem.size}];
        EXPECT_LE(cell.gains.size(), 18U);
    }
    EXPECT_EQ(made[0], 200);
    EXPECT_EQ(made[0.005], 40);
    EXPECT_EQ(made[0.01], 40);
    EXPECT_EQ(made[0.02], 40);
    EXPECT_GE(cells_of.size(), 10U);
    for (const auto& [problem, count] : cells_of) {
        EXPECT_GE(count, 2) << problem.first;
    }
}

TEST(CalibrationSchedule, FewTimingsStillAddUp) {
    CalibrationGoal goal = goal_of(3, 0);
    int made = 0;
    for (const auto& cell : schedule(goal)) {
        made += static_cast<int>(cell.gains.size());
    }
    EXPECT_EQ(made, 3);
    goal.problems.clear();
    EXPECT_TRUE(schedule(goal).empty());
}

CalibrationTiming timing_of(const std::string& problem, double gain, double speedup, bool fast1,
                            double ref_ms = 3) {
    CalibrationTiming t;
    t.problem = problem;
    t.size = "full";
    t.gain = gain;
    t.true_speedup = 1 + gain;
    t.ref_ms = ref_ms;
    t.cand_ms = ref_ms;
    t.speedup = t.judge_speedup = speedup;
    t.lo95 = t.judge_lo95 = speedup - 0.002;
    t.hi95 = t.judge_hi95 = speedup + 0.002;
    t.fast1 = fast1;
    return t;
}

Calibration sample() {
    Calibration c;
    c.id = std::string(32, 'c');
    c.created = "2026-01-31T00:00:00.000Z";
    c.evaluator = "0123456789abcdef";
    c.gpu = "NVIDIA H200";
    c.complete = true;
    for (int i = 0; i < 20; ++i) {
        c.timings.push_back(timing_of("L2_076", 0, 1 + 0.0001 * i, i == 19));
        c.timings.push_back(timing_of("L1_088", 0, 1.003, false, 0.05));
        c.timings.push_back(timing_of("L2_076", 0.01, 1.01, true));
        c.timings.push_back(timing_of("L1_088", 0.01, 1.01, i % 2 == 0, 0.05));
        c.timings.push_back(timing_of("L2_076", 0.005, 1.001, i < 3));
    }
    c.timings.front().flags = "clock_disagreement";
    return c;
}

TEST(CalibrationSummary, CountsWhatMatters) {
    const CalibrationSummary s = summarize(sample());
    EXPECT_EQ(s.identical.false_fast1.count, 1);
    EXPECT_EQ(s.identical.false_fast1.total, 40);
    EXPECT_EQ(s.identical.flagged.count, 1);
    EXPECT_EQ(s.identical.covered.count, 20);  // L1_088 is off by more than its interval
    EXPECT_NEAR(*s.identical.most_off, 0.003, 1e-9);
    ASSERT_EQ(s.problems.size(), 2U);
    EXPECT_EQ(s.problems[0].problem, "L1_088") << "the shortest comes first";
    EXPECT_NEAR(*s.problems[1].speedup_drift, 0.001, 1e-5);
    ASSERT_EQ(s.gains.size(), 2U);
    EXPECT_EQ(s.gains[1].detected.count, 30);
    EXPECT_EQ(s.gains[1].detected_long.count, 20);
    EXPECT_EQ(s.gains[0].covered.count, 0);
    EXPECT_FALSE(s.reliable_gain.has_value());
    EXPECT_EQ(s.reliable_gain_long, 0.01);
}

TEST(CalibrationSummary, OfNothingIsNothing) {
    const CalibrationSummary s = summarize({});
    EXPECT_EQ(s.identical.false_fast1.total, 0);
    EXPECT_FALSE(s.identical.median_off.has_value());
    EXPECT_TRUE(s.problems.empty());
    EXPECT_NO_THROW(to_json(Calibration{}, true).dump());
    EXPECT_FALSE(calibration_text({}).empty());
}

TEST(CalibrationSummary, TextAndJsonTellTheSame) {
    const std::string text = calibration_text(sample());
    EXPECT_THAT(text, HasSubstr("| false fast1 on identical code | 1 of 40 = 2.5 %"));
    EXPECT_THAT(text, HasSubstr("| L2_076 | full | 3.000 | 1/20 | 20/20 |"));
    EXPECT_THAT(summary_line(sample()), HasSubstr("false fast1 1 of 40"));
    const auto json = to_json(sample(), true);
    EXPECT_EQ(json["identical"]["false_fast1"]["count"], 1);
    EXPECT_EQ(json["timings"].size(), 100U);
    EXPECT_EQ(json["reliable_gain"], nullptr);
}

SelfTimingResult result_of(double speedup) {
    SelfTimingResult r;
    r.verdict.status = Status::correct;
    r.verdict.ref_ms = 2;
    r.verdict.cand_ms = 2;
    r.verdict.speedup = r.verdict.judge_speedup = speedup;
    r.verdict.speedup_lo95 = r.verdict.judge_speedup_lo95 = speedup;
    r.verdict.speedup_hi95 = r.verdict.judge_speedup_hi95 = speedup;
    r.handicap_us = 20;
    return r;
}

TEST(CalibrationRun, GathersTimingsAndGoesOnAfterAFailure) {
    const auto cells = schedule(goal_of(24, 0));  // two of each of twelve problems
    std::set<std::uint64_t> seeds;
    const TimeCell time_cell = [&](const CalibrationProblem& problem, const std::vector<SelfTiming>& timings,
                                   const auto& done) {
        if (problem.id == "L3_004") {
            throw infrastructure_error("broken");
        }
        for (const SelfTiming& timing : timings) {
            seeds.insert(timing.seed);
            EXPECT_TRUE(done(result_of(1)));
        }
    };
    const Calibration c = run_calibration(cells, {}, time_cell);
    EXPECT_FALSE(c.complete);
    EXPECT_THAT(c.failures, ::testing::Each(HasSubstr("L3_004: broken")));
    EXPECT_EQ(c.timings.size(), 22U);
    EXPECT_EQ(seeds.size(), c.timings.size()) << "every timing has seeds of its own";
    EXPECT_NEAR(c.timings[0].true_speedup, 1.01, 1e-12);
}

TEST(CalibrationRun, NothingMeasuredIsAnError) {
    const TimeCell broken = [](const auto&, const auto&, const auto&) {
        throw infrastructure_error("no GPU");
    };
    EXPECT_THROW(run_calibration(schedule(goal_of(24, 0)), {}, broken), Error);
}

TEST(CalibrationRun, StopsWhenTheTimeIsUp) {
    int made = 0;
    const TimeCell slow = [&](const auto&, const std::vector<SelfTiming>& timings, const auto& done) {
        for (std::size_t i = 0; i < timings.size(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            ++made;
            if (!done(result_of(1))) {
                return;
            }
        }
    };
    const Calibration c = run_calibration(schedule(goal_of(1000, 0)), {0.2, false, 1}, slow);
    EXPECT_FALSE(c.complete);
    EXPECT_LT(made, 15);
    EXPECT_EQ(c.timings.size(), static_cast<std::size_t>(made));
    const Calibration repeated = run_calibration(schedule(goal_of(2, 0)), {0.2, true, 1}, slow);
    EXPECT_GT(repeated.timings.size(), 2U);
    EXPECT_TRUE(repeated.complete);
}

}  // namespace
}  // namespace kbeval
