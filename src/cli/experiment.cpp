#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/layout.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/run_plan.h"
#include "cli/session.h"
#include "experiment/run.h"
#include "report/record_text.h"
#include "report/terminal.h"

namespace kbeval::cli {

namespace {

struct ExperimentOptions {
    EvaluateOptions evaluate;
    AgentOptions agent_options;
    std::string plan;
    std::string name;
    std::string database;
    bool json = false;
    bool allow_leak = false;
};

std::filesystem::path database_of(const ExperimentOptions& o) {
    return o.database.empty() ? default_database() : std::filesystem::path(o.database);
}

nlohmann::ordered_json progress_json(const ExperimentProgress& p) {
    return {{"finished", p.finished},       {"episodes", p.episodes}, {"failed", p.failed},
            {"gpu_seconds", p.gpu_seconds}, {"tokens", p.tokens},     {"stopped", p.stopped}};
}

int run_command(const ExperimentOptions& o) {
    EvaluateOptions judging = o.evaluate;
    judging.seed.reset();  // the plan's seed counts
    const Plan plan = read_plan(o.plan);
    Session session(judging);
    const ExperimentProgress end = run_plan(plan, session, o.agent_options, o.allow_leak, o.evaluate.json);
    if (o.evaluate.json) {
        std::cout << dump_json(progress_json(end), -1) << "\n";
    } else {
        std::cout << end.finished << " of " << end.episodes << " episodes are finished"
                  << (end.stopped.empty() ? "" : "; stopped: " + terminal_line(end.stopped)) << "\n";
        std::cout << "kbeval compare " << terminal_line(plan.name) << " shows what came out\n";
    }
    return end.failed > 0 ? exit_infrastructure : end.stopped.empty() ? exit_success : exit_no_success;
}

std::string state_of(const ExperimentRecord& x) {
    return x.finished == x.episodes ? "finished" : x.cancelled ? "cancelled" : "open";
}

nlohmann::ordered_json experiment_json(const ExperimentRecord& x) {
    return {{"name", x.name},         {"created", x.created},
            {"state", state_of(x)},   {"episodes", x.episodes},
            {"finished", x.finished}, {"plan", nlohmann::ordered_json::parse(x.plan)}};
}

int list_command(const ExperimentOptions& o) {
    EpisodeStore store = EpisodeStore::open(database_of(o), Store::Mode::read_only);
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const ExperimentRecord& x : store.experiments()) {
        all.push_back(experiment_json(x));
        if (!o.json) {
            std::cout << terminal_line(x.name) << "  " << state_of(x) << "  " << x.finished << "/"
                      << x.episodes << "  begun " << x.created << "\n";
        }
    }
    if (o.json) {
        std::cout << dump_json(all, 1) << "\n";
    }
    return exit_success;
}

int status_command(const ExperimentOptions& o) {
    EpisodeStore store = EpisodeStore::open(database_of(o), Store::Mode::read_only);
    const auto x = store.experiment(o.name);
    if (!x) {
        throw input_error(store.path().string() + ": there is no experiment '" + printable(o.name) + "'",
                          "kbeval experiment list shows those there are");
    }
    std::map<std::string, std::array<int, 3>> by_arm;  // finished, all, failed
    nlohmann::ordered_json failures = nlohmann::ordered_json::array();
    for (const EpisodeRecord& e : store.list(o.name, false)) {
        auto& counts = by_arm[e.arm];
        counts[0] += e.state == EpisodeState::open ? 0 : 1;
        counts[1] += 1;
        if (!e.failure.empty()) {
            counts[2] += 1;
            failures.push_back(
                {{"episode", e.id}, {"problem", e.problem}, {"arm", e.arm}, {"failure", e.failure}});
        }
    }
    nlohmann::ordered_json json = experiment_json(*x);
    json["failures"] = failures;
    if (o.json) {
        std::cout << dump_json(json, 1) << "\n";
        return exit_success;
    }
    std::cout << terminal_line(x->name) << "  " << state_of(*x) << "  " << x->finished << " of "
              << x->episodes << " episodes finished, begun " << x->created << "\n";
    for (const auto& [arm, counts] : by_arm) {
        std::cout << "  " << terminal_line(arm) << "  " << counts[0] << "/" << counts[1] << "\n";
    }
    for (const auto& failure : failures) {
        std::cout << "  failed: " << failure["problem"].get<std::string>() << "  "
                  << terminal_line(failure["arm"].get<std::string>()) << "  "
                  << terminal_line(failure["failure"].get<std::string>()) << "\n";
    }
    return exit_success;
}

int cancel_command(const ExperimentOptions& o) {
    EpisodeStore store = EpisodeStore::open(database_of(o), Store::Mode::read_write);
    store.set_cancelled(o.name, true);
    std::cout
        << "cancelled; a running one ends after its current turn, and `kbeval experiment run` takes it up "
           "again\n";
    return exit_success;
}

using Command = int (*)(const ExperimentOptions&);

CLI::App* add(CLI::App& parent, Action& chosen, const std::shared_ptr<ExperimentOptions>& o, const char* name,
              const char* description, Command command) {
    CLI::App* const sub = parent.add_subcommand(name, description);
    sub->callback([&chosen, o, command] { chosen = [o, command] { return command(*o); }; });
    return sub;
}

void add_database(CLI::App& command, ExperimentOptions& o) {
    command.add_option("--db", o.database, "Database (default: KBEVAL_DB, else in the user's data folder)");
}

}  // namespace

void add_experiment(CLI::App& app, Action& chosen) {
    CLI::App* const command =
        app.add_subcommand("experiment", "Run many episodes: problems, arms, readers, repeats");
    command->require_subcommand(1);
    const auto o = std::make_shared<ExperimentOptions>();

    CLI::App* const run =
        add(*command, chosen, o, "run", "Run a plan, or carry it on where it ended", run_command);
    run->add_option("PLAN", o->plan, "TOML or JSON file (docs/experiments.md)")->required();
    add_plan_options(*run, o->evaluate, o->agent_options, o->allow_leak);
    run->footer(
        "Example: kbeval experiment run contexts.toml --device cuda:0\n"
        "Exit status: 0 all finished, 1 stopped by its budget or cancelled, 2 bad usage or input, 3 "
        "failures.");

    CLI::App* const status = add(*command, chosen, o, "status", "How far an experiment is", status_command);
    status->add_option("EXPERIMENT", o->name, "Its name")->required();
    add_database(*status, *o);
    status->add_flag("--json", o->json, "Print a JSON object");
    status->footer("Example: kbeval experiment status contexts");

    CLI::App* const list =
        add(*command, chosen, o, "list", "All experiments, the newest first", list_command);
    add_database(*list, *o);
    list->add_flag("--json", o->json, "Print a JSON array");
    list->footer("Example: kbeval experiment list --json");

    CLI::App* const cancel =
        add(*command, chosen, o, "cancel", "End an experiment after its current turn", cancel_command);
    cancel->add_option("EXPERIMENT", o->name, "Its name")->required();
    add_database(*cancel, *o);
    cancel->footer("Example: kbeval experiment cancel contexts");
    command->footer(
        "Example: kbeval experiment run contexts.toml && kbeval compare contexts --arms cards,bare");
}

}  // namespace kbeval::cli
