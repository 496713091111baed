#pragma once

#include <vector>

namespace kbeval {

/// Middle value, or the mean of the two middle ones. Throws std::invalid_argument on an empty sample.
double median(std::vector<double> values);

double mean(const std::vector<double>& values);

/// Quantile by linear interpolation between order statistics (Hyndman and Fan 1996, type 7). p in [0, 1].
double quantile(std::vector<double> values, double p);

/// Median absolute deviation times 1.4826, which estimates a normal's standard deviation.
double scaled_mad(const std::vector<double>& values);

/// Standard normal distribution function.
double normal_cdf(double x);

/// Quantile of the standard normal (Acklam's rational approximation with one Halley step). p in (0, 1).
double normal_quantile(double p);

/// Quantile of Student's t with `df` degrees of freedom, df >= 3 (Abramowitz and Stegun 1964, 26.7.5).
double student_t_quantile(double p, double df);

}  // namespace kbeval
