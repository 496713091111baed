#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/layout.h"
#include "cli/command.h"
#include "report/record_text.h"
#include "report/terminal.h"
#include "store/merge.h"

namespace kbeval::cli {

namespace {

struct MergeOptions {
    std::string into;
    std::vector<std::string> from;
    bool json = false;
};

int merge(const MergeOptions& o) {
    Store store = Store::open(o.into, Store::Mode::read_write);
    store.prove_writable();
    int status = exit_success;
    for (const std::string& file : o.from) {
        const MergeResult result = merge_database(store, file);
        if (!result.conflicts.empty()) {
            status = exit_no_success;
        }
        if (o.json) {
            const nlohmann::json line{{"from", file},
                                      {"evaluations", result.evaluations},
                                      {"known", result.known},
                                      {"runs", result.runs},
                                      {"jobs", result.jobs},
                                      {"calibrations", result.calibrations},
                                      {"conflicts", result.conflicts}};
            std::cout << dump_json(line, -1) << "\n";
            continue;
        }
        std::cout << terminal_line(file) << ": " << result.evaluations << " new evaluations, " << result.known
                  << " known, " << result.runs << " new runs, " << result.jobs << " jobs completed, "
                  << result.calibrations << " calibrations\n";
        for (const std::string& conflict : result.conflicts) {
            std::cerr << terminal_line(file) << ": conflict: " << conflict << " (what "
                      << terminal_line(o.into) << " holds stays)\n";
        }
    }
    return status;
}

struct DeleteOptions {
    std::string database;
    std::vector<std::string> evaluations;
};

/// Each by itself: what went before a wrong id is gone and said to be.
int delete_evaluations(const DeleteOptions& o) {
    Store store = Store::open(o.database.empty() ? default_database() : std::filesystem::path(o.database),
                              Store::Mode::read_write);
    for (const std::string& evaluation : o.evaluations) {
        std::cout << "deleted " << store.remove(evaluation) << "\n";
    }
    return exit_success;
}

void add_delete(CLI::App& db, Action& chosen) {
    CLI::App* const command =
        db.add_subcommand("delete", "Delete evaluations with all that hangs on them; there is no way back");
    const auto o = std::make_shared<DeleteOptions>();
    command->add_option("EVALUATION", o->evaluations, "Ids, or beginnings of at least 4 digits")->required();
    command->add_option("--db", o->database,
                        "Database file (default: $KBEVAL_DB, else in the user's data folder)");
    command->footer(
        "Samples, messages, events of bullets and living memory admitted from an evaluation go with it; its\n"
        "job in a batch counts as not judged.\n"
        "Example:\n"
        "  kbeval db delete 1ba307a8");
    command->callback([&chosen, o] { chosen = [o] { return delete_evaluations(*o); }; });
}

}  // namespace

void add_db(CLI::App& app, Action& chosen) {
    CLI::App* const db = app.add_subcommand("db", "Work on databases");
    db->require_subcommand(1);
    add_delete(*db, chosen);
    CLI::App* const command = db->add_subcommand("merge", "Fold databases into one");
    const auto o = std::make_shared<MergeOptions>();
    command->add_option("INTO", o->into, "Database that grows; made where it is missing")->required();
    command->add_option("FROM", o->from, "Databases to fold in; they stay as they are")->required();
    command->add_flag("--json", o->json, "Print one JSON object for each");
    command->footer(
        "Evaluations, batches and calibrations are carried over, each database in one transaction; again is "
        "no\n"
        "harm. Contexts, episodes and experiments are not.\n"
        "Example:\n"
        "  kbeval db merge nightly.db node1.db node2.db\n"
        "Exit status: 0 merged, 1 merged with conflicts, 2 bad usage or input, 3 infrastructure.");
    command->callback([&chosen, o] { chosen = [o] { return merge(*o); }; });
}

}  // namespace kbeval::cli
