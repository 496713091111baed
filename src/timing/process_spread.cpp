#include "timing/process_spread.h"

#include <cmath>

namespace kbeval {

Interval widened(const Interval& interval, double forward_ms, const ProcessSpread& spread) {
    const double between = std::hypot(spread.relative, spread.absolute_us / 1000 / forward_ms);
    const double below = std::hypot((interval.estimate - interval.low) / interval.estimate, between);
    const double above = std::hypot((interval.high - interval.estimate) / interval.estimate, between);
    return {interval.estimate, interval.estimate / (1 + below), interval.estimate * (1 + above)};
}

}  // namespace kbeval
