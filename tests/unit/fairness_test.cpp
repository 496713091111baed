#include "judge/fairness.h"

#include <gtest/gtest.h>

namespace kbeval {
namespace {

std::vector<PairedRound> rounds(const std::vector<double>& candidate, std::size_t count = 5) {
    return std::vector<PairedRound>(count, {std::vector<double>(candidate.size(), 2.0), candidate});
}

TEST(Fairness, EvenTrialsAreFair) {
    EXPECT_FALSE(trials_uneven({}));
    EXPECT_FALSE(trials_uneven(rounds({1, 1, 1, 1, 1, 1})));
    EXPECT_FALSE(trials_uneven(rounds({1, 1.02, 0.99, 1.01, 1, 1.03})));
}

TEST(Fairness, WorkOfManyCallsDoneInOneIsSeen) {
    EXPECT_TRUE(trials_uneven(rounds({8, 0.1, 0.1, 0.1, 0.1, 0.1})));
    EXPECT_TRUE(trials_uneven(rounds({1, 1, 1, 1, 1, 1.5})));
}

TEST(Fairness, ARareStallIsNoTrick) {
    auto all = rounds({1, 1, 1, 1, 1, 1}, 9);
    all[3].denominator[2] = 50;
    all[7].denominator[5] = 50;
    EXPECT_FALSE(trials_uneven(all));
}

TEST(Fairness, ASlowCandidateGainsNothingByIt) {
    EXPECT_FALSE(trials_uneven(rounds({40, 2.5, 2.5, 2.5, 2.5})));
}

TEST(Fairness, ShortBlocksSayNothing) {
    EXPECT_FALSE(trials_uneven(rounds({9, 0.1, 0.1})));
}

}  // namespace
}  // namespace kbeval
