#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/episode_store.h"
#include "base/error.h"
#include "base/layout.h"
#include "base/text.h"
#include "cli/command.h"
#include "experiment/comparison.h"
#include "report/record_text.h"

namespace kbeval::cli {

namespace {

struct CompareOptions {
    std::string experiment;
    std::string database;
    std::string split;
    bool mixed = false;
    bool json = false;
    ComparisonRequest request;
};

std::vector<Outcome> outcomes_of(const CompareOptions& o, EpisodeStore& store) {
    if (!store.experiment(o.experiment)) {
        throw input_error(
            store.path().string() + ": there is no experiment '" + printable(o.experiment) + "'",
            "kbeval experiment list shows those there are");
    }
    std::vector<Outcome> outcomes;
    for (const EpisodeRecord& episode : store.list(o.experiment, true)) {
        if (o.split.empty() || episode.split == o.split) {
            outcomes.push_back(outcome_of(episode));
        }
    }
    return outcomes;
}

/// Figures of different evaluators, GPUs or sizes are not comparable.
void require_one_origin(const std::vector<Outcome>& outcomes) {
    std::set<std::string> origins;
    for (const Outcome& outcome : outcomes) {
        if (!outcome.origin.empty()) {
            origins.insert(outcome.origin);
        }
    }
    if (origins.size() > 1) {
        throw input_error("the verdicts are of different evaluators, GPUs or sizes:\n  " +
                              join({origins.begin(), origins.end()}, "\n  "),
                          "--mixed compares them all the same");
    }
}

/// Those asked for, else all there are; each must be there.
std::vector<std::string> arms_of(const CompareOptions& o, const std::vector<Outcome>& outcomes) {
    std::set<std::string> known;
    for (const Outcome& outcome : outcomes) {
        known.insert(outcome.arm);
    }
    for (const std::string& arm : o.request.arms) {
        if (!known.contains(arm)) {
            throw input_error(
                "experiment '" + printable(o.experiment) + "' has no arm '" + printable(arm) + "'",
                "its arms are " + join({known.begin(), known.end()}, ", "));
        }
    }
    return o.request.arms.empty() ? std::vector<std::string>(known.begin(), known.end()) : o.request.arms;
}

int compare_command(const CompareOptions& o) {
    EpisodeStore store = EpisodeStore::open(
        o.database.empty() ? default_database() : std::filesystem::path(o.database), Store::Mode::read_only);
    const std::vector<Outcome> outcomes = outcomes_of(o, store);
    if (!o.mixed) {
        require_one_origin(outcomes);
    }
    ComparisonRequest request = o.request;
    request.arms = arms_of(o, outcomes);
    const auto comparisons = compare(outcomes, request);
    if (o.json) {
        std::cout << dump_json(comparison_json(comparisons), 1) << "\n";
    } else {
        std::cout << comparison_text(comparisons);
    }
    return exit_success;
}

}  // namespace

void add_compare(CLI::App& app, Action& chosen) {
    CLI::App* const command =
        app.add_subcommand("compare", "What came out of an experiment: figures of each arm, and A against B");
    const auto o = std::make_shared<CompareOptions>();
    command->add_option("EXPERIMENT", o->experiment, "Its name")->required();
    command->add_option("--arms", o->request.arms, "Arms to show; the first is compared with the second")
        ->delimiter(',');
    command->add_option("--by", o->request.by, "Also group by group")
        ->check(CLI::IsMember({"level", "family", "reader"}));
    command->add_option("--split", o->split, "Only these problems")
        ->check(CLI::IsMember({"learn", "held_out"}));
    command->add_option("--tie", o->request.options.tie_margin, "Differences in score up to this are ties")
        ->check(CLI::Range(0.0, 10.0))
        ->capture_default_str();
    command->add_option("--seed", o->request.options.seed, "Of the resampling")->capture_default_str();
    command->add_flag("--mixed", o->mixed, "Put verdicts of different evaluators, GPUs or sizes together");
    command->add_option("--db", o->database, "Database (default: KBEVAL_DB, else in the user's data folder)");
    command->add_flag("--json", o->json, "Print a JSON array: all, then each group");
    command->footer(
        "Example: kbeval compare contexts --arms cards,bare --by level\ndocs/experiments.md defines the "
        "figures.");
    command->callback([&chosen, o] { chosen = [o] { return compare_command(*o); }; });
}

}  // namespace kbeval::cli
