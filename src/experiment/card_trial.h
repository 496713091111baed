#pragma once

#include <map>
#include <string>
#include <vector>

#include "context/card_trials.h"
#include "experiment/analysis.h"

namespace kbeval {

/// When a card is admitted: over enough problems, the mean gain in score is surely above 0 (its 95 %
/// bootstrap interval over problems), more problems win than lose, and the rate of success doesn't fall.
struct TrialRule {
    int least_problems = 8;  ///< with a pair; at least 4, as fewer have no interval
    ComparisonOptions comparison{.tie_margin = 0.02, .seed = 0, .resamples = 10000};
};

/// Concludes from the outcomes of the two arms; `trial` says which they are (`base`, and the arm with the
/// card) and gets the figures. Open episodes are left out.
void conclude_trial(CardTrial& trial, const std::string& card_arm, const std::vector<Outcome>& outcomes,
                    const TrialRule& rule);

/// Mean gain in score of each problem that has a pair.
std::map<std::string, double> gains_by_problem(const std::string& card_arm, const std::string& base,
                                               const std::vector<Outcome>& outcomes);

}  // namespace kbeval
