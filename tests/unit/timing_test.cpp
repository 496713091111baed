#include <gtest/gtest.h>

#include "timing/clock_check.h"
#include "timing/plan.h"

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

/// Rounds in which the harness costs `overhead` ms a block and the other's own clock is off by the factor
/// `claim`.
std::vector<ClockRound> rounds_with(double other_ms, double claim, double overhead = 3) {
    std::vector<ClockRound> rounds;
    for (int i = 0; i < 10; ++i) {
        const double jitter = 0.01 * (i % 3);
        rounds.push_back(
            {20 * 2.0 + overhead + jitter, 20 * 2.0, 20 * other_ms + overhead, 20 * other_ms * claim, 20});
    }
    return rounds;
}

TEST(ClockCheck, HonestTimesAgree) {
    const ClockCheck check = check_clocks(rounds_with(1.0, 1.0));
    EXPECT_TRUE(check.agree);
    EXPECT_NEAR(check.judged_ms, 1.0, 0.01);
}

TEST(ClockCheck, HalvedTimesDisagree) {
    const ClockCheck check = check_clocks(rounds_with(1.0, 0.5));
    EXPECT_FALSE(check.agree);
    EXPECT_NEAR(check.judged_ms, 1.0, 0.01);
    EXPECT_NEAR(check.device_ms, 0.5, 1e-9);
}

TEST(ClockCheck, TenPercentOffDisagrees) {
    EXPECT_FALSE(check_clocks(rounds_with(2.0, 0.9)).agree);
}

TEST(ClockCheck, ClaimingMoreTimeIsNoFraud) {
    EXPECT_TRUE(check_clocks(rounds_with(1.0, 1.3)).agree);
}

TEST(ClockCheck, TheHarnessOverheadCancels) {
    EXPECT_TRUE(check_clocks(rounds_with(0.2, 1.0, 50)).agree);
}

}  // namespace
}  // namespace kbeval
