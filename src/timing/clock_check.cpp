#include "timing/clock_check.h"

#include <algorithm>
#include <cmath>

#include "stats/descriptive.h"

namespace kbeval {

namespace {
constexpr double relative_tolerance = 0.05;
constexpr double noise_multiple = 5;
constexpr double round_trip_ms = 0.05;  ///< jitter of one message, whatever the sample's spread says
}  // namespace

ClockCheck check_clocks(const std::vector<ClockRound>& rounds) {
    std::vector<double> judged;
    std::vector<double> device;
    std::vector<double> difference;
    for (const ClockRound& r : rounds) {
        const double overhead = r.trusted_wall - r.trusted_device;
        judged.push_back((r.other_wall - overhead) / r.forwards);
        device.push_back(r.other_device / r.forwards);
        difference.push_back(judged.back() - device.back());
    }
    ClockCheck check;
    check.judged_ms = median(judged);
    check.device_ms = median(device);
    const double spread = scaled_mad(difference) / std::sqrt(static_cast<double>(rounds.size()));
    const double jitter = round_trip_ms / rounds.front().forwards;
    check.noise_ms =
        std::max({relative_tolerance * check.device_ms, noise_multiple * spread, noise_multiple * jitter});
    check.agree = median(difference) <= check.noise_ms;
    return check;
}

}  // namespace kbeval
