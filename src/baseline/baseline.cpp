#include "baseline/baseline.h"

#include <stdexcept>

#include "stats/descriptive.h"

namespace kbeval {

namespace {

using Times = std::vector<std::vector<double>>;

double median_over(const Times& rounds, const std::vector<std::uint32_t>& chosen) {
    std::vector<double> all;
    for (const std::uint32_t r : chosen) {
        all.insert(all.end(), rounds[r].begin(), rounds[r].end());
    }
    return median(std::move(all));
}

/// Trials of one round share clocks and temperature, so whole rounds are resampled.
Interval median_interval(const Times& rounds, std::uint64_t seed) {
    return bootstrap(
        static_cast<int>(rounds.size()),
        [&rounds](const std::vector<std::uint32_t>& chosen) { return median_over(rounds, chosen); }, seed);
}

}  // namespace

std::optional<double> Baseline::roofline_share() const {
    if (!roofline_ms || !eager_ms) {
        return std::nullopt;
    }
    return *roofline_ms / eager_ms->estimate;
}

void summarize(Baseline& baseline) {
    Times eager;
    Times compiled;
    std::vector<PairedRound> pairs;
    baseline.trials = 0;
    for (const BaselineRound& round : baseline.rounds) {
        if (round.eager_ms.empty()) {
            throw std::invalid_argument("a round without a time");
        }
        baseline.trials += static_cast<int>(round.eager_ms.size());
        eager.push_back(round.eager_ms);
        if (!round.compile_ms.empty()) {
            compiled.push_back(round.compile_ms);
            pairs.push_back({round.eager_ms, round.compile_ms});
        }
    }
    baseline.eager_ms = median_interval(eager, baseline.seed);
    if (!compiled.empty() && compiled.size() == eager.size()) {
        baseline.compile_ms = median_interval(compiled, baseline.seed + 1);
        baseline.speedup = ratio_of_medians(pairs, baseline.seed + 2);
    }
}

}  // namespace kbeval
