#include "judge/timing_rounds.h"

#include <gtest/gtest.h>

namespace kbeval {
namespace {

TimingRound round_of(std::vector<double> eager, std::vector<double> candidate,
                     std::vector<double> compiled = {}) {
    TimingRound round;
    round.eager = {{std::move(eager), {}, {}}, 10};
    round.candidate = {{std::move(candidate), {}, {}}, 5};
    if (!compiled.empty()) {
        round.compiled = SubjectBlock{{std::move(compiled), {}, {}}, 7};
    }
    return round;
}

TEST(TimingRounds, PairsAndBlocksKeepTheRoundTheyBelongTo) {
    const std::vector<TimingRound> rounds{round_of({4, 6}, {1, 2}), round_of({5, 5}, {3, 3})};
    const auto pairs = paired_rounds(rounds);
    ASSERT_EQ(pairs.size(), 2U);
    EXPECT_EQ(pairs[1].numerator, (std::vector<double>{5, 5}));
    const auto blocks = block_pairs(rounds);
    ASSERT_EQ(blocks.size(), 2U);
    EXPECT_EQ(blocks[1].round, 1);
    EXPECT_EQ(blocks[1].forwards, 2);
    EXPECT_DOUBLE_EQ(blocks[0].ref_device_ms, 10);
    EXPECT_DOUBLE_EQ(blocks[0].cand_device_ms, 3);
    EXPECT_DOUBLE_EQ(blocks[0].cand_wall_ms, 5);
    EXPECT_DOUBLE_EQ(shorter_ms(rounds), 2.5);
}

TEST(TimingRounds, EveryTrialIsInTheVerdict) {
    Verdict verdict;
    conclude_times(verdict, {round_of({4, 6}, {1, 2}, {2, 2}), round_of({5, 5}, {3, 3})}, {2, 1.5, 2.5});
    ASSERT_EQ(verdict.samples.size(), 4U);
    EXPECT_EQ(verdict.trials, 4);
    EXPECT_EQ(verdict.samples[2].round, 1);
    EXPECT_EQ(verdict.samples[1].compile_ms, 2);
    EXPECT_FALSE(verdict.samples[2].compile_ms);
    EXPECT_EQ(verdict.ref_ms, 5);
    EXPECT_EQ(verdict.cand_ms, 2.5);
    EXPECT_DOUBLE_EQ(*verdict.speedup_mean, (4.0 + 3.0 + 5.0 / 3 + 5.0 / 3) / 4);
    EXPECT_EQ(verdict.speedup_lo95, 1.5);
}

TEST(TimingRounds, CompiledIsComparedWithTheCandidateOfTheSameRounds) {
    Verdict verdict;
    conclude_compiled(verdict, {round_of({9}, {100}), round_of({9}, {2}, {3})}, std::nullopt);
    EXPECT_EQ(verdict.compile_ms, 3);
    EXPECT_EQ(verdict.speedup_vs_compile, 1.5);

    Verdict off;
    conclude_compiled(off, {round_of({9}, {2}, {3})}, 0.5);
    EXPECT_EQ(off.compile_ms, 3);
    EXPECT_FALSE(off.speedup_vs_compile);
    EXPECT_NE(off.compile_note.find("max_abs_diff=0.5"), std::string::npos);

    Verdict none;
    conclude_compiled(none, {round_of({9}, {2})}, std::nullopt);
    EXPECT_FALSE(none.compile_ms);
}

TEST(TimingRounds, ClocksThatDisagreeAreAFlagAndSaidSo) {
    Verdict verdict;
    JudgeClock clock;
    clock.speedup = {1, 0.9, 1.1};
    clock.agree = true;
    conclude_clocks(verdict, {round_of({4}, {1})}, clock);
    EXPECT_TRUE(verdict.flags.empty());
    EXPECT_EQ(verdict.blocks.size(), 1U);
    clock.agree = false;
    clock.claimed_ms = 1;
    clock.cand_ms = 3;
    conclude_clocks(verdict, {round_of({4}, {1})}, clock);
    EXPECT_EQ(verdict.flags, std::vector<std::string>{"clock_disagreement"});
    EXPECT_NE(verdict.message.find("says 1.000 ms a forward"), std::string::npos);
}

}  // namespace
}  // namespace kbeval
