#include "stats/rates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "stats/descriptive.h"

namespace kbeval {

namespace {
constexpr double upper_level = 0.975;
constexpr std::size_t least_for_interval = 4;  // what student_t_quantile is good for
}  // namespace

Interval wilson(double share, std::size_t n) {
    if (n == 0) {
        return {0, 0, 1};
    }
    const double count = static_cast<double>(n);
    const double z = normal_quantile(upper_level);
    const double scale = 1 + z * z / count;
    const double centre = (share + z * z / (2 * count)) / scale;
    const double half = z / scale * std::sqrt(share * (1 - share) / count + z * z / (4 * count * count));
    // At the ends the exact bound is the share itself; rounding must not put it outside.
    return {share, share <= 0 ? 0 : std::max(0.0, centre - half),
            share >= 1 ? 1 : std::min(1.0, centre + half)};
}

std::optional<Interval> geometric_mean(const std::vector<double>& values) {
    if (values.empty()) {
        return std::nullopt;
    }
    std::vector<double> logs;
    logs.reserve(values.size());
    for (const double value : values) {
        if (!(value > 0) || !std::isfinite(value)) {
            throw std::invalid_argument("geometric_mean: a value is not positive");
        }
        logs.push_back(std::log(value));
    }
    const double centre = mean(logs);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (logs.size() < least_for_interval) {
        return Interval{std::exp(centre), nan, nan};
    }
    double squares = 0;
    for (const double value : logs) {
        squares += (value - centre) * (value - centre);
    }
    const double count = static_cast<double>(logs.size());
    const double half = student_t_quantile(upper_level, count - 1) * std::sqrt(squares / (count - 1) / count);
    return Interval{std::exp(centre), std::exp(centre - half), std::exp(centre + half)};
}

}  // namespace kbeval
