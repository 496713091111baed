#pragma once

#include <chrono>
#include <string>

namespace kbeval {

using SteadyClock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Seconds since `start` on the monotonic clock.
inline double seconds_since(SteadyClock::time_point start) {
    return Seconds(SteadyClock::now() - start).count();
}

/// Now in UTC as ISO 8601 with milliseconds: 2026-01-31T23:59:59.123Z.
std::string utc_now();

}  // namespace kbeval
