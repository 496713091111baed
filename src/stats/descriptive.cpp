#include "stats/descriptive.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

namespace kbeval {

namespace {
void require_values(const std::vector<double>& values) {
    if (values.empty()) {
        throw std::invalid_argument("a statistic of an empty sample");
    }
}
}  // namespace

double median(std::vector<double> values) {
    require_values(values);
    const std::size_t half = values.size() / 2;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) {
        return *middle;
    }
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double mean(const std::vector<double>& values) {
    require_values(values);
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile(std::vector<double> values, double p) {
    require_values(values);
    std::sort(values.begin(), values.end());
    const double position = std::clamp(p, 0.0, 1.0) * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(position);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (position - static_cast<double>(low)) * (values[high] - values[low]);
}

double scaled_mad(const std::vector<double>& values) {
    const double centre = median(values);
    std::vector<double> deviations;
    deviations.reserve(values.size());
    for (const double v : values) {
        deviations.push_back(std::fabs(v - centre));
    }
    return 1.4826 * median(std::move(deviations));
}

double normal_cdf(double x) {
    return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

double normal_quantile(double p) {
    if (!(p > 0 && p < 1)) {
        throw std::invalid_argument("normal_quantile: p must lie inside (0, 1)");
    }
    static constexpr std::array<double, 6> a{-3.969683028665376e+01, 2.209460984245205e+02,
                                             -2.759285104469687e+02, 1.383577518672690e+02,
                                             -3.066479806614716e+01, 2.506628277459239e+00};
    static constexpr std::array<double, 5> b{-5.447609879822406e+01, 1.615858368580409e+02,
                                             -1.556989798598866e+02, 6.680131188771972e+01,
                                             -1.328068155288572e+01};
    static constexpr std::array<double, 6> c{-7.784894002430293e-03, -3.223964580411365e-01,
                                             -2.400758277161838e+00, -2.549732539343734e+00,
                                             4.374664141464968e+00,  2.938163982698783e+00};
    static constexpr std::array<double, 4> d{7.784695709041462e-03, 3.224671290700398e-01,
                                             2.445134137142996e+00, 3.754408661907416e+00};
    const auto tail = [&](double q) {
        return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
               ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    };
    double x = 0;
    if (p < 0.02425) {
        x = tail(std::sqrt(-2 * std::log(p)));
    } else if (p > 1 - 0.02425) {
        x = -tail(std::sqrt(-2 * std::log(1 - p)));
    } else {
        const double q = p - 0.5;
        const double r = q * q;
        x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
            (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
    }
    const double error = normal_cdf(x) - p;
    const double u = error * std::sqrt(2 * std::numbers::pi) * std::exp(x * x / 2);
    return x - u / (1 + x * u / 2);
}

double student_t_quantile(double p, double df) {
    const double z = normal_quantile(p);
    const double z3 = z * z * z;
    const double z5 = z3 * z * z;
    const double z7 = z5 * z * z;
    const double z9 = z7 * z * z;
    const double g1 = (z3 + z) / 4;
    const double g2 = (5 * z5 + 16 * z3 + 3 * z) / 96;
    const double g3 = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384;
    const double g4 = (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / 92160;
    return z + g1 / df + g2 / (df * df) + g3 / (df * df * df) + g4 / (df * df * df * df);
}

}  // namespace kbeval
