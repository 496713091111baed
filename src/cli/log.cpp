#include <unistd.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/layout.h"
#include "base/text.h"
#include "cli/command.h"
#include "report/record_text.h"
#include "report/terminal.h"
#include "report/verdict_text.h"
#include "store/store.h"

namespace kbeval::cli {

namespace {

constexpr int most_rows = 1'000'000;

struct LogOptions {
    std::string database;
    std::optional<std::string> status;
    EvaluationFilter filter;
    bool json = false;
};

Status status_named(const std::string& name) {
    if (const auto status = status_from_string(name)) {
        return *status;
    }
    std::vector<std::string> names;
    for (const Status status : all_statuses()) {
        names.emplace_back(to_string(status));
    }
    throw Error(ErrorKind::usage, "--status: there is no status '" + printable(name) + "'",
                "the statuses are " + join(names, ", "));
}

int log_command(const LogOptions& options) {
    EvaluationFilter filter = options.filter;
    if (options.status) {
        filter.status = status_named(*options.status);
    }
    Store store =
        Store::open(options.database.empty() ? default_database() : std::filesystem::path(options.database),
                    Store::Mode::read_only);
    const std::vector<Verdict> verdicts = store.list(filter);
    if (options.json) {
        nlohmann::ordered_json array = nlohmann::ordered_json::array();
        for (const Verdict& verdict : verdicts) {
            array.push_back(to_json(verdict));
        }
        std::cout << dump_json(array, 1) << "\n";
        return exit_success;
    }
    std::cout << verdict_table(verdicts, colour_wanted(STDOUT_FILENO));
    if (verdicts.empty()) {
        std::cerr << "no evaluation in " << store.path().string() << " matches\n";
    }
    return exit_success;
}

}  // namespace

void add_log(CLI::App& app, Action& chosen) {
    CLI::App* const command = app.add_subcommand("log", "List recorded evaluations, newest first");
    const auto options = std::make_shared<LogOptions>();
    command->add_option("--db", options->database,
                        "Database (default: KBEVAL_DB, else in the user's data folder)");
    command->add_option("--problem", options->filter.problem, "Only this problem, such as L2_076");
    command->add_option("--status", options->status, "Only this status, such as correct or compile_error");
    command->add_option("--label", options->filter.label, "Only evaluations with just this label");
    command->add_option("--kind", options->filter.kind, "Only runs, or only checks")
        ->check(CLI::IsMember({"run", "check"}));
    command->add_option("--limit", options->filter.limit, "At most so many")
        ->check(CLI::Range(1, most_rows))
        ->capture_default_str();
    command->add_flag("--json", options->json, "Print a JSON array");
    command->footer("Example: kbeval log --problem L2_076 --status correct --limit 5");
    command->callback([&chosen, options] { chosen = [options] { return log_command(*options); }; });
}

}  // namespace kbeval::cli
