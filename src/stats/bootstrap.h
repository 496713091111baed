#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace kbeval {

/// Paired measurements of one round: element i of both was measured on the same inputs.
struct PairedRound {
    std::vector<double> numerator;
    std::vector<double> denominator;
};

struct Interval {
    double estimate = 0;
    double low = 0;
    double high = 0;
};

/// 95 % bootstrap interval of a statistic over independent clusters.
///
/// `statistic` is given indices into the clusters (each once for the estimate, drawn with replacement for the
/// interval). With few clusters a percentile interval is too narrow; its levels are widened as in the
/// expanded percentile interval (Hesterberg 2015, "What Teachers Should Know About the Bootstrap", section
/// 4.3). Same seed, same data: same interval. Needs at least 4 clusters; throws std::invalid_argument.
Interval bootstrap(int clusters, const std::function<double(const std::vector<std::uint32_t>&)>& statistic,
                   std::uint64_t seed, int resamples = 2000);

/// Ratio of medians over all rounds, with a 95 % bootstrap interval.
///
/// Trials of one round share clocks and temperature, so whole rounds are resampled (cluster bootstrap:
/// Davison and Hinkley 1997, section 3.8) by `bootstrap`. Needs at least 4 rounds with at least one pair;
/// throws std::invalid_argument otherwise.
Interval ratio_of_medians(const std::vector<PairedRound>& rounds, std::uint64_t seed, int resamples = 2000);

/// Level (one-sided) at which an expanded percentile interval of nominal one-sided level `alpha` is cut, for
/// `clusters` independent observations.
double expanded_level(double alpha, int clusters);

}  // namespace kbeval
