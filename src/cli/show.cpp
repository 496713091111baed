#include <unistd.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/layout.h"
#include "cli/command.h"
#include "report/record_text.h"
#include "report/terminal.h"
#include "store/store.h"

namespace kbeval::cli {

namespace {

struct ShowOptions {
    std::string evaluation;
    std::string database;
    RecordParts parts;
    bool json = false;
};

int show_command(const ShowOptions& options) {
    Store store =
        Store::open(options.database.empty() ? default_database() : std::filesystem::path(options.database),
                    Store::Mode::read_only);
    const EvaluationRecord record = store.find(options.evaluation);
    if (options.json) {
        std::cout << dump_json(record_json(record, options.parts), 1) << "\n";
    } else {
        std::cout << record_text(record, options.parts, colour_wanted(STDOUT_FILENO));
    }
    return exit_success;
}

}  // namespace

void add_show(CLI::App& app, Action& chosen) {
    CLI::App* const command = app.add_subcommand("show", "Show all that is recorded of an evaluation");
    const auto options = std::make_shared<ShowOptions>();
    command->add_option("EVALUATION", options->evaluation, "Its id, or the first 4 or more digits of it")
        ->required();
    command->add_option("--db", options->database,
                        "Database (default: KBEVAL_DB, else in the user's data folder)");
    command->add_flag("--source", options->parts.source, "Show the candidate's source too");
    command->add_flag("--samples", options->parts.samples, "Show every trial's times too");
    command->add_flag("--json", options->json, "Print a JSON object");
    command->footer("Example: kbeval show 3fa94c01 --source");
    command->callback([&chosen, options] { chosen = [options] { return show_command(*options); }; });
}

}  // namespace kbeval::cli
