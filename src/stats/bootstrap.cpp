#include "stats/bootstrap.h"

#include <cmath>
#include <numeric>
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

Interval bootstrap(int clusters, const std::function<double(const std::vector<std::uint32_t>&)>& statistic,
                   std::uint64_t seed, int resamples) {
    if (clusters < 4) {
        throw std::invalid_argument("a bootstrap needs at least 4 clusters");
    }
    const auto count = static_cast<std::uint32_t>(clusters);
    std::vector<std::uint32_t> indices(count);
    std::iota(indices.begin(), indices.end(), 0U);
    const double estimate = statistic(indices);
    Xoshiro256 random(seed);
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(resamples));
    for (int i = 0; i < resamples; ++i) {
        for (std::uint32_t& index : indices) {
            index = random.below(count);
        }
        values.push_back(statistic(indices));
    }
    const double level = expanded_level(0.025, clusters);
    return {estimate, quantile(values, level), quantile(values, 1 - level)};
}

Interval ratio_of_medians(const std::vector<PairedRound>& rounds, std::uint64_t seed, int resamples) {
    require_rounds(rounds);
    const auto ratio = [&rounds](const std::vector<std::uint32_t>& indices) {
        Pool pool;
        for (const std::uint32_t index : indices) {
            pool.add(rounds[index]);
        }
        return pool.ratio();
    };
    return bootstrap(static_cast<int>(rounds.size()), ratio, seed, resamples);
}

}  // namespace kbeval
