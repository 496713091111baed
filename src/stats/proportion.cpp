#include "stats/proportion.h"

#include <cmath>
#include <stdexcept>

namespace kbeval {

namespace {

constexpr double tail = 0.025;
constexpr int bisections = 60;

/// P(X <= count) for X binomial.
double binomial_cdf(int count, int total, double share) {
    double sum = 0;
    for (int k = 0; k <= count; ++k) {
        const double log_choose =
            std::lgamma(total + 1.0) - std::lgamma(k + 1.0) - std::lgamma(total - k + 1.0);
        sum += std::exp(log_choose + k * std::log(share) + (total - k) * std::log1p(-share));
    }
    return sum;
}

/// The share at which P(X <= count) falls to `level`.
double share_at(int count, int total, double level) {
    double low = 0;
    double high = 1;
    for (int i = 0; i < bisections; ++i) {
        const double middle = (low + high) / 2;
        (binomial_cdf(count, total, middle) > level ? low : high) = middle;
    }
    return (low + high) / 2;
}

}  // namespace

Proportion proportion(int count, int total) {
    if (count < 0 || count > total) {
        throw std::invalid_argument("proportion: count must lie in 0 to total");
    }
    Proportion p{count, total, 0, 0, 1};
    if (total > 0) {
        p.share = static_cast<double>(count) / total;
        p.low = count == 0 ? 0 : share_at(count - 1, total, 1 - tail);
        p.high = count == total ? 1 : share_at(count, total, tail);
    }
    return p;
}

}  // namespace kbeval
