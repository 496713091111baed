#include "judge/fairness.h"

#include <numeric>

#include "stats/descriptive.h"

namespace kbeval {

namespace {

constexpr double even_share = 0.95;      ///< of the medians' speedup that whole blocks must show
constexpr std::size_t least_trials = 4;  ///< in a block: below, a median is no robust figure either

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

bool trials_uneven(const std::vector<PairedRound>& rounds) {
    std::vector<double> of_medians;
    std::vector<double> of_blocks;
    for (const PairedRound& round : rounds) {
        if (round.denominator.size() < least_trials) {
            return false;
        }
        of_medians.push_back(median(round.numerator) / median(round.denominator));
        of_blocks.push_back(sum(round.numerator) / sum(round.denominator));
    }
    return !rounds.empty() && median(of_medians) > 1 && median(of_blocks) < even_share * median(of_medians);
}

}  // namespace kbeval
