#include <gtest/gtest.h>

#include "timing/gpu_watch.h"
#include "timing/judge_clock.h"
#include "timing/plan.h"
#include "timing/process_spread.h"

namespace kbeval {
namespace {

TEST(BlockPlan, FillsTheBlockWithShortForwards) {
    BlockGoal goal;
    goal.forward_ms = 2;
    const BlockPlan plan = plan_block(goal);
    EXPECT_EQ(plan.timed, 20);
    EXPECT_EQ(plan.warm, 4);
}

TEST(BlockPlan, LeavesRoomForTheLeastNumberOfRounds) {
    BlockGoal goal;
    goal.forward_ms = 0.01;
    const BlockPlan plan = plan_block(goal);
    EXPECT_EQ(plan.timed, 25);
    EXPECT_EQ(plan.warm, 64);
}

TEST(BlockPlan, LongForwardsStandAlone) {
    BlockGoal goal;
    goal.forward_ms = 500;
    EXPECT_EQ(plan_block(goal).timed, 1);
    EXPECT_EQ(plan_block(goal).warm, 2);
}

TEST(BlockPlan, MemoryBoundsTheSlots) {
    BlockGoal goal;
    goal.forward_ms = 2;
    goal.slot_bytes = 4e9;
    goal.memory_bytes = 13e9;
    EXPECT_EQ(plan_block(goal).timed, 3);
    goal.memory_bytes = 1e9;
    EXPECT_EQ(plan_block(goal).timed, 1);
}

/// Rounds in which the harness costs `overhead` ms a block and the candidate's own clock is off by the factor
/// `claim`.
std::vector<BlockPair> blocks_with(double cand_ms, double claim, double overhead = 3, int rounds = 10) {
    std::vector<BlockPair> blocks;
    for (int i = 0; i < rounds; ++i) {
        const double jitter = 0.01 * (i % 3);
        const double other_jitter = 0.01 * (i % 4);
        blocks.push_back({i, 20, 20 * 2.0 + overhead + jitter, 20 * 2.0,
                          20 * cand_ms + overhead + other_jitter, 20 * cand_ms * claim});
    }
    return blocks;
}

TEST(JudgeClock, HonestTimesAgree) {
    const JudgeClock clock = read_judge_clock(blocks_with(1.0, 1.0), 1, false);
    EXPECT_TRUE(clock.agree);
    EXPECT_NEAR(clock.cand_ms, 1.0, 0.01);
    EXPECT_NEAR(clock.speedup.estimate, 2.0, 0.01);
    EXPECT_GT(clock.speedup.low, 1.9);
    EXPECT_LE(clock.speedup.low, clock.speedup.estimate);
    EXPECT_GE(clock.speedup.high, clock.speedup.estimate);
}

TEST(JudgeClock, HalvedTimesDisagreeAndDontCount) {
    const JudgeClock clock = read_judge_clock(blocks_with(2.0, 0.5), 1, false);
    EXPECT_FALSE(clock.agree);
    EXPECT_NEAR(clock.cand_ms, 2.0, 0.01);
    EXPECT_NEAR(clock.claimed_ms, 1.0, 1e-9);
    EXPECT_LT(clock.speedup.low, 1.001);
}

TEST(JudgeClock, FivePercentOffDisagrees) {
    EXPECT_FALSE(read_judge_clock(blocks_with(2.0, 0.95), 1, false).agree);
}

TEST(JudgeClock, ASmallForgeryIsNoGain) {
    // 2 % are too little for the flag, and the second estimate does not follow.
    const JudgeClock clock = read_judge_clock(blocks_with(2.0, 0.98), 1, false);
    EXPECT_TRUE(clock.agree);
    EXPECT_LT(clock.speedup.low, 1.0);
}

TEST(JudgeClock, ClaimingMoreTimeIsNoFraud) {
    EXPECT_TRUE(read_judge_clock(blocks_with(1.0, 1.3), 1, false).agree);
}

TEST(JudgeClock, TheHarnessOverheadCancels) {
    const JudgeClock clock = read_judge_clock(blocks_with(0.2, 1.0, 50), 1, false);
    EXPECT_TRUE(clock.agree);
    EXPECT_NEAR(clock.speedup.estimate, 10, 0.1);
}

TEST(JudgeClock, RareStallsSurvive) {
    auto blocks = blocks_with(1.8, 1.0, 3, 20);
    blocks[3].cand_wall_ms += 500;  // the host was away
    blocks[11].ref_wall_ms += 300;
    blocks[17].cand_wall_ms += 80;  // and once inside a forward
    blocks[17].cand_device_ms += 80;
    const JudgeClock clock = read_judge_clock(blocks, 1, false);
    EXPECT_TRUE(clock.agree);
    EXPECT_NEAR(clock.speedup.estimate, 2.0 / 1.8, 0.005);
    EXPECT_GT(clock.speedup.low, 1.09);
    EXPECT_LT(clock.speedup.high, 1.13);
}

TEST(JudgeClock, NoiseLargerThanTheTimesLeavesNoClaim) {
    std::vector<BlockPair> blocks;
    for (int i = 0; i < 12; ++i) {  // forwards of 10 us under turn-arounds that vary by milliseconds
        const double noise = (i * 7 % 12) - 5.5;
        blocks.push_back({i, 20, 20 + noise, 0.2, 20 - noise, 0.15});
    }
    const JudgeClock clock = read_judge_clock(blocks, 1, false);
    EXPECT_TRUE(clock.agree);
    EXPECT_LT(clock.speedup.low, 1);
}

TEST(ProcessSpread, WidensByWhatASecondPairOfProcessesMightSay) {
    const ProcessSpread spread{0.003, 4};
    const Interval sure{2, 2, 2};
    const Interval wide = widened(sure, 1, spread);  // 4 us of 1 ms and 0.3 %: 0.5 % in quadrature
    EXPECT_DOUBLE_EQ(wide.estimate, 2);
    EXPECT_NEAR(wide.low, 2 / 1.005, 1e-12);
    EXPECT_NEAR(wide.high, 2 * 1.005, 1e-12);
    const Interval sampled = widened({2, 1.976, 2.024}, 1, spread);  // 1.2 % and 0.5 %: 1.3 %
    EXPECT_NEAR(sampled.low, 2 / 1.013, 1e-12);
    EXPECT_NEAR(sampled.high, 2 * 1.013, 1e-12);
    EXPECT_LT(widened(sure, 0.02, spread).low, 1.7) << "a fifth of a forward of 20 us is within the spread";
    const Interval none = widened(sampled, 1, {0, 0});
    EXPECT_NEAR(none.low, sampled.low, 5e-4);
}

TEST(JudgeClock, AGpusHostWorkIsNoDisagreementAndGainsNothing) {
    std::vector<BlockPair> blocks;
    for (int i = 0; i < 12; ++i) {  // 0.2 ms more of host work a forward than the reference has
        blocks.push_back({i, 15, 56, 41, 59, 41});
    }
    EXPECT_FALSE(read_judge_clock(blocks, 1, false).agree);
    const JudgeClock clock = read_judge_clock(blocks, 1, true);
    EXPECT_TRUE(clock.agree);
    EXPECT_LT(clock.speedup.high, 1);
    for (BlockPair& block : blocks) {
        block.cand_device_ms = 30;  // forged: 0.93 ms a forward less than was seen
    }
    EXPECT_FALSE(read_judge_clock(blocks, 1, true).agree);
}

TEST(ReferenceSlowed, OnlyWhereItIsClear) {
    EXPECT_FALSE(reference_slowed(2.05, 2.0, true));
    EXPECT_TRUE(reference_slowed(2.2, 2.0, true));
    EXPECT_FALSE(reference_slowed(0.055, 0.050, true)) << "microseconds are noise";
    EXPECT_TRUE(reference_slowed(0.075, 0.050, true));
    EXPECT_FALSE(reference_slowed(2.8, 2.0, false));
    EXPECT_TRUE(reference_slowed(3.2, 2.0, false));
}

GpuState state_of(unsigned mhz, std::uint64_t reasons = 0, unsigned processes = 3) {
    GpuState state;
    state.sm_mhz = mhz;
    state.throttle_reasons = reasons;
    state.compute_processes = processes;
    return state;
}

TEST(GpuWatch, SpoiledRoundsAreMeasuredAgain) {
    GpuWatch watch(state_of(1980));
    EXPECT_FALSE(watch.spoiled(state_of(1965)));
    EXPECT_TRUE(watch.spoiled(state_of(1200)));        // the clock dropped
    EXPECT_TRUE(watch.spoiled(state_of(1980, 0x40)));  // heat
    EXPECT_TRUE(watch.spoiled(state_of(1980, 0, 4)));  // another process came
    EXPECT_FALSE(watch.spoiled(state_of(1980)));       // and went
    EXPECT_FALSE(watch.spoiled(state_of(1200, 0x4)));  // the power cap is no fault
    EXPECT_EQ(watch.spoiled_rounds(), 3);
    EXPECT_FALSE(watch.gave_up());
    EXPECT_NE(watch.text().find("3 rounds were measured again"), std::string::npos) << watch.text();
    EXPECT_NE(watch.text().find("1 beside another process"), std::string::npos) << watch.text();
}

TEST(GpuWatch, GivesUpOnAGpuThatStaysSlow) {
    GpuWatch watch(state_of(1980));
    int again = 0;
    for (int i = 0; i < 50; ++i) {
        again += watch.spoiled(state_of(1980, 0x8)) ? 1 : 0;
    }
    EXPECT_EQ(again, GpuWatch::max_spoiled);
    EXPECT_TRUE(watch.gave_up());
}

TEST(GpuWatch, TheCpuHasNoState) {
    GpuWatch watch(std::nullopt);
    EXPECT_FALSE(watch.spoiled(std::nullopt));
    EXPECT_TRUE(watch.text().empty());
}

}  // namespace
}  // namespace kbeval
