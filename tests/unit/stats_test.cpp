#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "stats/bootstrap.h"
#include "stats/descriptive.h"
#include "stats/random.h"

namespace kbeval {
namespace {

/// Normal numbers from the project's own generator (Box and Muller 1958), so that tests are the same
/// everywhere.
class Normal {
  public:
    explicit Normal(std::uint64_t seed) : random_(seed) {}
    double next() {
        const double u = (static_cast<double>(random_.next() >> 11U) + 0.5) * 0x1p-53;
        const double v = (static_cast<double>(random_.next() >> 11U) + 0.5) * 0x1p-53;
        return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
    }

  private:
    Xoshiro256 random_;
};

std::vector<PairedRound> noisy_rounds(std::uint64_t seed, int rounds, int pairs, double ratio) {
    Normal normal(seed);
    std::vector<PairedRound> all;
    for (int r = 0; r < rounds; ++r) {
        PairedRound round;
        const double drift = 1 + 0.01 * normal.next();  // of the GPU: shared by both sides
        const double turn = 1 + 0.004 * normal.next();  // of this turn: on one side only
        for (int i = 0; i < pairs; ++i) {
            round.numerator.push_back(2 * ratio * drift * turn * (1 + 0.002 * normal.next()));
            round.denominator.push_back(2 * drift * (1 + 0.002 * normal.next()));
        }
        all.push_back(round);
    }
    return all;
}

TEST(Descriptive, MedianOfOddAndEvenSamples) {
    EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
    EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
    EXPECT_DOUBLE_EQ(median({7}), 7);
    EXPECT_THROW(median({}), std::invalid_argument);
}

TEST(Descriptive, QuantilesInterpolateLinearly) {
    EXPECT_DOUBLE_EQ(quantile({10, 20, 30, 40, 50}, 0.25), 20);
    EXPECT_DOUBLE_EQ(quantile({1, 2}, 0.75), 1.75);
    EXPECT_DOUBLE_EQ(quantile({5, 1, 3}, 0), 1);
    EXPECT_DOUBLE_EQ(quantile({5, 1, 3}, 1), 5);
}

TEST(Descriptive, MadIgnoresAnOutlier) {
    EXPECT_NEAR(scaled_mad({1, 2, 3, 4, 1e9}), 1.4826, 1e-12);
}

TEST(Descriptive, NormalAndStudentQuantilesMatchTables) {
    EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-9);
    EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 1e-9);
    EXPECT_NEAR(normal_cdf(normal_quantile(0.3)), 0.3, 1e-12);
    EXPECT_NEAR(student_t_quantile(0.975, 9), 2.262157, 2e-4);
    EXPECT_NEAR(student_t_quantile(0.975, 4), 2.776445, 8e-3);
    EXPECT_NEAR(student_t_quantile(0.025, 30), -2.042272, 1e-5);
    EXPECT_THROW(normal_quantile(0), std::invalid_argument);
}

TEST(Random, ReferenceSequencesOfTheGenerators) {
    std::uint64_t state = 1234567;
    EXPECT_EQ(splitmix64(state), 6457827717110365317ULL);  // published test vector of SplitMix64
    EXPECT_EQ(splitmix64(state), 3203168211198807973ULL);
    Xoshiro256 a(1);
    Xoshiro256 b(1);
    Xoshiro256 c(2);
    EXPECT_EQ(a.next(), b.next());
    EXPECT_NE(a.next(), c.next());
}

TEST(Random, BoundedNumbersAreUniform) {
    Xoshiro256 random(7);
    std::array<int, 6> counts{};
    for (int i = 0; i < 60000; ++i) {
        ++counts.at(random.below(6));
    }
    for (const int count : counts) {
        EXPECT_NEAR(count, 10000, 500);
    }
}

TEST(Random, DerivedSeedsDiffer) {
    EXPECT_NE(derive_seed(1, 1, 0), derive_seed(1, 1, 1));
    EXPECT_NE(derive_seed(1, 1, 0), derive_seed(1, 2, 0));
    EXPECT_NE(derive_seed(1, 1, 0), derive_seed(2, 1, 0));
    EXPECT_EQ(derive_seed(5, 3, 9), derive_seed(5, 3, 9));
}

TEST(Bootstrap, SameSeedSameInterval) {
    const auto rounds = noisy_rounds(1, 10, 12, 1.2);
    const Interval a = ratio_of_medians(rounds, 42);
    const Interval b = ratio_of_medians(rounds, 42);
    EXPECT_EQ(a.low, b.low);
    EXPECT_EQ(a.high, b.high);
    EXPECT_LT(a.low, a.estimate);
    EXPECT_LT(a.estimate, a.high);
    EXPECT_NEAR(a.estimate, 1.2, 0.01);
}

TEST(Bootstrap, IntervalOfIdenticalCodeHoldsOneAsOftenAsItSays) {
    int below = 0;
    int above = 0;
    constexpr int repeats = 400;
    for (int i = 0; i < repeats; ++i) {
        const Interval interval =
            ratio_of_medians(noisy_rounds(1000 + static_cast<std::uint64_t>(i), 10, 5, 1.0),
                             static_cast<std::uint64_t>(i), 400);
        below += interval.high < 1 ? 1 : 0;
        above += interval.low > 1 ? 1 : 0;
    }
    // Nominal 2.5 % on either side is 10 of 400; a plain percentile interval misses about twice as often.
    EXPECT_LE(above, 19);
    EXPECT_LE(below, 19);
    EXPECT_GT(above + below, 3);
}

TEST(Bootstrap, RefusesTooLittleData) {
    EXPECT_THROW(ratio_of_medians({{{1}, {1}}}, 1), std::invalid_argument);
    EXPECT_THROW(ratio_of_medians({{{1}, {1}}, {{1}, {1}}, {{1}, {}}, {{1}, {1}}}, 1), std::invalid_argument);
}

TEST(Bootstrap, ExpandedLevelIsWiderForFewClusters) {
    EXPECT_LT(expanded_level(0.025, 8), expanded_level(0.025, 30));
    EXPECT_NEAR(expanded_level(0.025, 100000), 0.025, 1e-5);
}

}  // namespace
}  // namespace kbeval
