#include "stats/bootstrap.h"

#include <cmath>
#include <stdexcept>

#include "stats/descriptive.h"
#include "stats/random.h"

namespace kbeval {

namespace {

struct Pool {
    std::vector<double> numerator;
    std::vector<double> denominator;

    void add(const PairedRound& round) {
        numerator.insert(numerator.end(), round.numerator.begin(), round.numerator.end());
        denominator.insert(denominator.end(), round.denominator.begin(), round.denominator.end());
    }
    [[nodiscard]] double ratio() const { return median(numerator) / median(denominator); }
};

void require_rounds(const std::vector<PairedRound>& rounds) {
    if (rounds.size() < 4) {
        throw std::invalid_argument("ratio_of_medians needs at least 4 rounds");
    }
    for (const PairedRound& round : rounds) {
        if (round.numerator.empty() || round.numerator.size() != round.denominator.size()) {
            throw std::invalid_argument("ratio_of_medians: a round without pairs");
        }
    }
}

}  // namespace

double expanded_level(double alpha, int clusters) {
    const double n = clusters;
    return normal_cdf(std::sqrt(n / (n - 1)) * student_t_quantile(alpha, n - 1));
}

Interval ratio_of_medians(const std::vector<PairedRound>& rounds, std::uint64_t seed, int resamples) {
    require_rounds(rounds);
    Pool all;
    for (const PairedRound& round : rounds) {
        all.add(round);
    }
    Xoshiro256 random(seed);
    const auto count = static_cast<std::uint32_t>(rounds.size());
    std::vector<double> ratios;
    ratios.reserve(static_cast<std::size_t>(resamples));
    for (int i = 0; i < resamples; ++i) {
        Pool pool;
        for (std::uint32_t k = 0; k < count; ++k) {
            pool.add(rounds[random.below(count)]);
        }
        ratios.push_back(pool.ratio());
    }
    const double level = expanded_level(0.025, static_cast<int>(count));
    return {all.ratio(), quantile(ratios, level), quantile(ratios, 1 - level)};
}

}  // namespace kbeval
