#include "agent/retry.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

namespace kbeval {

double back_off(const RetryPolicy& policy, int attempt, std::uint64_t random) {
    const double whole =
        std::min(policy.most_seconds, policy.first_seconds * std::pow(2.0, std::clamp(attempt - 2, 0, 30)));
    const double share = static_cast<double>(random >> 11U) * 0x1p-53;
    return whole / 2 + share * whole / 2;
}

std::optional<double> retry_after_seconds(const std::string& value, double now) {
    double seconds = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (code == std::errc() && end == value.data() + value.size()) {
        return std::isfinite(seconds) && seconds >= 0 ? std::optional(seconds) : std::nullopt;
    }
    std::tm date{};
    const char* const rest = ::strptime(value.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
    if (rest == nullptr || *rest != '\0') {
        return std::nullopt;
    }
    return std::max(0.0, static_cast<double>(::timegm(&date)) - now);
}

bool worth_retrying(long status) {
    return status == 408 || status == 425 || status == 429 || (status >= 500 && status <= 599);
}

}  // namespace kbeval
