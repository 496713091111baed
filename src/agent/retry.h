#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace kbeval {

/// When and how long to wait before a request is sent again.
struct RetryPolicy {
    int attempts = 8;                   ///< in all
    double first_seconds = 1;           ///< doubled with every further one
    double most_seconds = 60;           ///< of a wait of our own choosing
    double most_asked_seconds = 900;    ///< of one that Retry-After asks for; longer: give up
    std::function<void(double)> sleep;  ///< default: the calling thread sleeps
};

/// Seconds before attempt number `attempt` (2 and up): exponential, with a random share of a half so that
/// many clients don't come back at once ("equal jitter", Brooker 2015). `random` is any 64-bit number.
double back_off(const RetryPolicy& policy, int attempt, std::uint64_t random);

/// Seconds that a Retry-After header asks for (RFC 9110, 10.2.3: seconds, or an HTTP date), at `now` in
/// seconds since 1970. Nothing where it is neither.
std::optional<double> retry_after_seconds(const std::string& value, double now);

/// Statuses that say "later": 408, 425, 429 and 5xx.
bool worth_retrying(long status);

}  // namespace kbeval
