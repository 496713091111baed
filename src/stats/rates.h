#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "stats/bootstrap.h"

namespace kbeval {

/// Share with its 95 % Wilson score interval (Wilson 1927; Brown, Cai and DasGupta 2001 recommend it for any
/// n). `share` is in [0, 1]; `n` counts independent units. With n = 0 the interval is all of [0, 1] and the
/// estimate 0.
Interval wilson(double share, std::size_t n);

/// Geometric mean of positive values with the 95 % interval of Student's t on their logarithms. Nothing where
/// there are no values; low and high are NaN where there are fewer than 4. Throws std::invalid_argument where
/// a value is not positive and finite.
std::optional<Interval> geometric_mean(const std::vector<double>& values);

}  // namespace kbeval
