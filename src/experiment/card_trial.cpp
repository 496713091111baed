#include "experiment/card_trial.h"

#include <set>

#include "base/text.h"

namespace kbeval {

std::map<std::string, double> gains_by_problem(const std::string& card_arm, const std::string& base,
                                               const std::vector<Outcome>& outcomes) {
    std::set<std::string> problems;
    for (const Outcome& outcome : outcomes) {
        problems.insert(outcome.problem);
    }
    std::map<std::string, double> gains;
    for (const std::string& problem : problems) {
        std::vector<Outcome> own;
        for (const Outcome& outcome : outcomes) {
            if (outcome.problem == problem) {
                own.push_back(outcome);
            }
        }
        const PairedDifference d = paired_difference(card_arm, base, own, {});
        if (d.problems > 0) {
            gains[problem] = d.mean_score;
        }
    }
    return gains;
}

void conclude_trial(CardTrial& trial, const std::string& card_arm, const std::vector<Outcome>& outcomes,
                    const TrialRule& rule) {
    const PairedDifference d = paired_difference(card_arm, trial.base, outcomes, rule.comparison);
    trial.problems = d.problems;
    trial.pairs = d.pairs;
    trial.mean_gain = d.mean_score;
    trial.low = d.low;
    trial.high = d.high;
    trial.wins = d.wins;
    trial.losses = d.losses;
    trial.ties = d.ties;
    trial.success_gain = d.success_rate;
    for (const Outcome& outcome : outcomes) {
        if (!outcome.origin.empty()) {
            trial.origin = outcome.origin;
        }
    }
    if (d.problems < rule.least_problems || !d.low) {
        trial.reason = "only " + std::to_string(d.problems) + " problems have a pair, of " +
                       std::to_string(rule.least_problems) + " that it needs";
    } else if (*d.low <= 0) {
        trial.reason = "the mean gain is not surely above 0";
    } else if (d.wins <= d.losses) {
        trial.reason = "it does not win more problems than it loses";
    } else if (d.success_rate < 0) {
        trial.reason = "the rate of success falls by " + significant(-100 * d.success_rate, 3) + " %";
    } else {
        trial.reason = "the mean gain is surely above 0, more problems win than lose, and as many succeed";
        trial.admitted = true;
        return;
    }
    trial.admitted = false;
}

}  // namespace kbeval
