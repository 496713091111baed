#include "verdict/replay.h"

#include <unistd.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/session.h"
#include "report/record_text.h"
#include "report/terminal.h"
#include "report/verdict_text.h"

namespace kbeval::cli {

namespace {

constexpr std::size_t shown_characters = 400;

struct ReplayOptions {
    EvaluateOptions evaluate;
    std::string evaluation;
};

void print_differences(const char* title, const std::vector<Difference>& differences) {
    if (differences.empty()) {
        return;
    }
    std::cout << title << "\n";
    for (const Difference& d : differences) {
        std::cout << "  " << terminal_line(d.field) << "\n    then "
                  << terminal_line(d.before.substr(0, shown_characters)) << "\n    now  "
                  << terminal_line(d.after.substr(0, shown_characters)) << "\n";
    }
}

std::string speedup_text(const Verdict& v) {
    return significant(*v.speedup, 4) + "x (" + significant(*v.speedup_lo95, 4) + " to " +
           significant(*v.speedup_hi95, 4) + ")";
}

void print_comparison(const ReplayComparison& c, const Verdict& before, const Verdict& after) {
    std::cout << (c.reproduced() ? "REPRODUCED" : "DIFFERS") << "  " << terminal_line(before.problem) << "  "
              << before.id.substr(0, 8) << " of " << before.created << ", judged again as "
              << after.id.substr(0, 8) << "\n";
    print_differences("what differs in the outcome", c.outcome);
    print_differences("what differs around it", c.surroundings);
    if (c.timed) {
        std::cout << "speedup  then " << speedup_text(before) << ", now " << speedup_text(after) << ": "
                  << (c.speedup_in_both     ? "each in the other's interval"
                      : c.intervals_overlap ? "the intervals overlap"
                                            : "the intervals lie apart")
                  << "\n";
    }
}

EvaluationRecord stored_record(const ReplayOptions& o) {
    Store store = Store::open(
        o.evaluate.database.empty() ? default_database() : std::filesystem::path(o.evaluate.database),
        Store::Mode::read_only);
    return store.find(o.evaluation);
}

int replay_command(ReplayOptions& o) {
    const EvaluationRecord record = stored_record(o);
    const Verdict& before = record.verdict;
    if (o.evaluate.device.empty()) {
        o.evaluate.device = before.device;
    }
    if (before.settings.empty() && !o.evaluate.json) {
        std::cerr << "kbeval: " << before.id.substr(0, 8)
                  << " was recorded without its settings (by an older kbeval): those of now are used\n";
    }
    Session session(o.evaluate);
    session.prepare();
    const auto progress = make_progress(!o.evaluate.json);
    const Verdict after = session.judge_again(record, *progress);
    const ReplayComparison comparison = compare_replay(before, after);
    if (o.evaluate.json) {
        std::cout << dump_json(to_json(comparison, before, after), -1) << "\n";
    } else {
        print_comparison(comparison, before, after);
    }
    if (after.status == Status::infra_error && before.status != Status::infra_error) {
        return exit_infrastructure;
    }
    return comparison.reproduced() ? exit_success : exit_no_success;
}

}  // namespace

void add_replay(CLI::App& app, Action& chosen) {
    CLI::App* const command =
        app.add_subcommand("replay", "Judge a stored evaluation again and say what differs");
    const auto o = std::make_shared<ReplayOptions>();
    command->add_option("EVALUATION", o->evaluation, "Its id, or the first 4 or more digits of it")
        ->required();
    command->add_option("--device", o->evaluate.device, "cuda:N or cpu (default: where it was judged)");
    command->add_option("--db", o->evaluate.database,
                        "Database (default: $KBEVAL_DB, else in the user's data folder)");
    command->add_flag("--json", o->evaluate.json, "Print a JSON object and nothing else");
    command->footer(
        "Judges with the stored source, seeds, size, tolerance and settings, and stores the new verdict "
        "too.\n"
        "Example: kbeval replay 3fa94c01\n"
        "Exit status: 0 reproduced, 1 the outcome differs, 2 bad usage or input, 3 infrastructure failed.");
    command->callback([&chosen, o] { chosen = [o] { return replay_command(*o); }; });
}

}  // namespace kbeval::cli
