#include "stats/rates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace kbeval {
namespace {

TEST(Wilson, AgreesWithPublishedFigures) {
    // Newcombe 1998, table I: 81 of 263 and 15 of 148, 95 % score intervals without continuity correction.
    Interval interval = wilson(81.0 / 263, 263);
    EXPECT_NEAR(interval.low, 0.2553, 5e-5);
    EXPECT_NEAR(interval.high, 0.3662, 5e-5);
    interval = wilson(15.0 / 148, 148);
    EXPECT_NEAR(interval.low, 0.0624, 5e-5);
    EXPECT_NEAR(interval.high, 0.1605, 5e-5);
    interval = wilson(0, 20);
    EXPECT_EQ(interval.low, 0);
    EXPECT_NEAR(interval.high, 0.1611, 5e-5);
    interval = wilson(1.0 / 29, 29);
    EXPECT_NEAR(interval.low, 0.0061, 5e-5);
    EXPECT_NEAR(interval.high, 0.1718, 5e-5);
}

TEST(Wilson, IsMirroredAndSaysNothingAboutNothing) {
    for (const double share : {0.0, 0.1, 0.5}) {
        const Interval a = wilson(share, 37);
        const Interval b = wilson(1 - share, 37);
        EXPECT_NEAR(a.low, 1 - b.high, 1e-12);
        EXPECT_NEAR(a.high, 1 - b.low, 1e-12);
    }
    EXPECT_EQ(wilson(0, 0).low, 0);
    EXPECT_EQ(wilson(0, 0).high, 1);
}

TEST(GeometricMean, HasStudentsInterval) {
    const auto mean = geometric_mean({1, 2, 4, 8});
    ASSERT_TRUE(mean);
    EXPECT_NEAR(mean->estimate, std::sqrt(8.0), 1e-12);
    // Logarithms to base 2 are 0, 1, 2, 3: deviation sqrt(5/3), t of 3 degrees of freedom 3.18245.
    const double half = 3.18245 * std::sqrt(5.0 / 3) / 2;
    EXPECT_NEAR(std::log2(mean->high), 1.5 + half, 0.02);
    EXPECT_NEAR(std::log2(mean->low), 1.5 - half, 0.02);
}

TEST(GeometricMean, OfFewValuesHasNoInterval) {
    EXPECT_FALSE(geometric_mean({}));
    const auto mean = geometric_mean({2, 8});
    ASSERT_TRUE(mean);
    EXPECT_DOUBLE_EQ(mean->estimate, 4);
    EXPECT_TRUE(std::isnan(mean->low) && std::isnan(mean->high));
    EXPECT_THROW(geometric_mean({1, 0}), std::invalid_argument);
    EXPECT_THROW(geometric_mean({1, std::nan("")}), std::invalid_argument);
}

}  // namespace
}  // namespace kbeval
