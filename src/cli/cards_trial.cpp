#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/episode_store.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/layout.h"
#include "base/text.h"
#include "cli/cards.h"
#include "cli/run_plan.h"
#include "context/card_arm.h"
#include "context/cards.h"
#include "context/documents.h"
#include "experiment/card_trial.h"
#include "experiment/comparison.h"
#include "report/record_text.h"
#include "report/terminal.h"

namespace kbeval::cli {

namespace {

struct TrialOptions {
    EvaluateOptions evaluate;
    AgentOptions agents;
    bool allow_leak = false;
    std::string document;
    std::string card;
    std::string base;
    std::string agent;
    std::string reader = "agent";
    std::string name;
    ProblemSelection problems;
    int turns = 6;
    int repeats = 1;
    std::uint64_t seed = 0;
    TrialRule rule;
};

Card card_of(const TrialOptions& o, Store& store) {
    const DocumentRow row = find_document(store, o.document);
    const std::vector<Card> cards = parse_cards(row.name, row.text).cards;
    std::vector<std::string> ids;
    for (const Card& card : cards) {
        if (card.id == o.card) {
            return card;
        }
        ids.push_back(card.id);
    }
    throw input_error(printable(row.name) + " has no card '" + printable(o.card) + "'",
                      "its cards are " + join(ids, ", "));
}

/// Those of the chosen problems that the card is for; the others are told.
std::vector<std::string> problems_for(const Card& card, const Plan& asked, const Catalogue& catalogue) {
    std::vector<std::string> in;
    std::vector<std::string> out;
    std::set<std::string> seen;
    for (const EpisodeRecord& episode : planned_episodes(asked, catalogue)) {
        seen.insert(episode.problem);
    }
    for (const std::string& id : seen) {
        const LoadedProblem problem = Catalogue::load(catalogue.find(id), Size::full);
        (match_card(card, problem.source, problem.problem.family).applies ? in : out).push_back(id);
    }
    if (!out.empty()) {
        std::cerr << "left out, since card " << terminal_line(card.id)
                  << " is not for them: " << join(out, ", ") << "\n";
    }
    if (in.empty()) {
        throw input_error("card " + printable(card.id) + " is for none of the chosen problems",
                          "kbeval cards match shows which it is for");
    }
    return in;
}

void print(const CardTrial& trial, const std::map<std::string, double>& gains) {
    std::cout << "card " << terminal_line(trial.card) << " over " << terminal_line(trial.base) << ": "
              << (trial.admitted ? "admitted" : "not admitted") << "; " << terminal_line(trial.reason)
              << "\n";
    std::cout << "  mean gain in score " << significant(trial.mean_gain, 4);
    if (trial.low) {
        std::cout << " [" << significant(*trial.low, 4) << ", " << significant(*trial.high, 4) << "]";
    }
    std::cout << " over " << trial.problems << " problems (" << trial.pairs << " pairs); " << trial.wins
              << " won, " << trial.losses << " lost, " << trial.ties << " tied; success "
              << significant(100 * trial.success_gain, 3) << " % more\n";
    for (const auto& [problem, gain] : gains) {
        std::cout << "  " << problem << "  " << significant(gain, 4) << "\n";
    }
    std::cout << "kbeval playbook export " << terminal_line(trial.document)
              << " writes the cards with it in their provenance\n";
}

int trial_command(const TrialOptions& o) {
    if (o.base == "cards") {
        throw input_error("the arm cards holds every card already",
                          "--base takes an arm without it, such as living");
    }
    EvaluateOptions judging = o.evaluate;
    judging.seed.reset();
    Session session(judging);
    Plan plan;
    plan.name = o.name.empty() ? "trial of " + o.document + "/" + o.card + " over " + o.base : o.name;
    plan.seed = o.seed;
    plan.turns = o.turns;
    plan.repeats = o.repeats;
    plan.readers = {{o.reader, o.agent}};
    const std::string with_card = to_string(CardArm{o.base, o.document, o.card});
    plan.arms = {o.base, with_card};
    plan.problems["learn"] = o.problems;
    const std::filesystem::path database =
        o.evaluate.database.empty() ? default_database() : std::filesystem::path(o.evaluate.database);
    Store cards = Store::open(database, Store::Mode::read_only);
    ProblemSelection chosen;
    chosen.ids = problems_for(card_of(o, cards), plan, session.catalogue());
    plan.problems["learn"] = chosen;
    const ExperimentProgress end = run_plan(plan, session, o.agents, o.allow_leak, o.evaluate.json);
    std::vector<Outcome> outcomes;
    EpisodeStore episodes = EpisodeStore::open(session.database(), Store::Mode::read_only);
    for (const EpisodeRecord& episode : episodes.list(plan.name, true)) {
        outcomes.push_back(outcome_of(episode));
    }
    CardTrial trial;
    trial.document = o.document;
    trial.card = o.card;
    trial.base = o.base;
    trial.experiment = plan.name;
    trial.created = utc_now();
    conclude_trial(trial, with_card, outcomes, o.rule);
    const auto gains = gains_by_problem(with_card, o.base, outcomes);
    const bool whole = end.failed == 0 && end.stopped.empty();
    if (whole) {
        Store store = Store::open(session.database(), Store::Mode::read_write);
        record_trial(store, trial);
    } else {
        std::cerr << "the trial is not recorded, since " << end.episodes - end.finished
                  << " episodes are open; the same command goes on with them\n";
    }
    if (o.evaluate.json) {
        nlohmann::ordered_json json = to_json(trial);
        json["document"] = trial.document;
        json["card"] = trial.card;
        json["gains"] = gains;
        json["recorded"] = whole;
        std::cout << dump_json(json, 1) << "\n";
    } else {
        print(trial, gains);
    }
    return end.failed > 0 ? exit_infrastructure : whole && trial.admitted ? exit_success : exit_no_success;
}

}  // namespace

void add_cards_trial(CLI::App& cards, Action& chosen) {
    CLI::App* const command = cards.add_subcommand(
        "trial", "Find out whether a card helps: episodes with it against episodes without, and a rule");
    const auto o = std::make_shared<TrialOptions>();
    command->add_option("CARDS", o->document, "Name of an imported document of cards")->required();
    command->add_option("CARD", o->card, "Id of the card")->required();
    command->add_option("--agent", o->agent, "Who answers (docs/agents.md)")->required();
    command->add_option("--base", o->base, "Arm that the card is put into")->required();
    command->add_option("--problems", o->problems.ids, "Ids of problems to learn from")->delimiter(',');
    command->add_option("--level", o->problems.levels, "All of these levels")->delimiter(',');
    command->add_option("--family", o->problems.families, "All of these families")->delimiter(',');
    command->add_option("--tag", o->problems.tags, "All with one of these tags")->delimiter(',');
    command->add_option("--reader", o->reader, "Name of the agent, for arms that depend on it")
        ->capture_default_str();
    command->add_option("--turns", o->turns, "Replies that an episode has")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--repeats", o->repeats, "Pairs of episodes of each problem")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--trial-seed", o->seed, "Of the order and of the inputs")->capture_default_str();
    command->add_option("--least-problems", o->rule.least_problems, "Problems that the rule needs")
        ->check(CLI::Range(4, 100'000))
        ->capture_default_str();
    command->add_option("--tie", o->rule.comparison.tie_margin, "Gains up to this neither win nor lose")
        ->check(CLI::Range(0.0, 10.0))
        ->capture_default_str();
    command->add_option("--name", o->name, "Of the experiment (default: from card and arm)");
    add_plan_options(*command, o->evaluate, o->agents, o->allow_leak);
    command->footer(
        "Example: kbeval cards trial engine_cards P1 --base living --level 2 --agent exec:./my_agent\n"
        "A trial that was ended goes on with the same command. docs/experiments.md has the rule.\n"
        "Exit status: 0 admitted, 1 not admitted or stopped, 2 bad usage or input, 3 failures.");
    command->callback([&chosen, o] { chosen = [o] { return trial_command(*o); }; });
}

}  // namespace kbeval::cli
