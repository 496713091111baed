#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace kbeval {

/// What an admission trial of an engine card came to (docs/experiments.md has the rule): the card put into an
/// arm against that arm alone. Gains are differences in score.
struct CardTrial {
    std::string document;    ///< of cards, by name
    std::string card;        ///< id
    std::string base;        ///< arm
    std::string experiment;  ///< whose episodes it was drawn from
    std::string created;     ///< UTC
    std::string origin;      ///< evaluator, GPU and size
    int problems = 0;
    int pairs = 0;
    double mean_gain = 0;
    std::optional<double> low;  ///< 95 % interval of the mean gain; absent for few problems
    std::optional<double> high;
    int wins = 0;
    int losses = 0;
    int ties = 0;
    double success_gain = 0;  ///< difference in the rate of success
    bool admitted = false;
    std::string reason;  ///< why or why not
};

/// Records a trial; one of the same experiment is replaced.
void record_trial(Store& store, const CardTrial& trial);

/// Those of one document, the oldest first.
std::vector<CardTrial> trials_of(Store& store, const std::string& document);

/// The document's text with each trial in its card's `provenance`, under `trials`; what a card's provenance
/// held stays. Without trials the very same text.
std::string with_trials(const std::string& name, const std::string& text,
                        const std::vector<CardTrial>& trials);

nlohmann::ordered_json to_json(const CardTrial& trial);

}  // namespace kbeval
