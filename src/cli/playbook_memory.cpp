#include <cstdio>
#include <iostream>

#include "base/error.h"
#include "base/layout.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/playbook_commands.h"
#include "context/living_store.h"
#include "context/prompt.h"
#include "report/record_text.h"

namespace kbeval::cli {

namespace {

/// From the store alone, whatever was imported for the problem.
int build(const PlaybookOptions& options) {
    Store store = open_store(options, Store::Mode::read_only);
    const Catalogue catalogue(find_layout());
    const Problem& problem = catalogue.find(options.problem);
    bool recipes = true;
    if (options.arm != "living") {
        Statement row(store.database(), "SELECT recipes FROM living_reader WHERE arm = ? AND reader = ?");
        row.bind(1, options.arm);
        row.bind(2, options.reader);
        if (!row.step()) {
            throw input_error("nothing is known of arm '" + printable(options.arm) + "' for reader '" +
                                  printable(options.reader) + "'",
                              "import a context set that has them, or leave --arm out");
        }
        recipes = row.integer(0) != 0;
    }
    const LivingStore living = LivingStore::load(store.database());
    if (living.empty()) {
        throw input_error("the living store is empty",
                          "import living memory with `kbeval playbook import FILE`");
    }
    const BuiltLiving built = living.build(living_target(store.database(), problem, recipes));
    if (options.json) {
        std::cout << dump_json({{"problem", problem.id},
                                {"digest", short_digest(built.text)},
                                {"text", built.text},
                                {"notes", built.notes}},
                               1)
                  << "\n";
        return exit_success;
    }
    std::cout << built.text;
    for (const std::string& note : built.notes) {
        std::cerr << "note: " << printable(note) << "\n";
    }
    return exit_success;
}

int admit(const PlaybookOptions& options) {
    Store store = open_store(options, Store::Mode::read_write);
    const EvaluationRecord record = store.find(options.evaluation);
    const Verdict& verdict = record.verdict;
    if (!verdict.success) {
        throw input_error("evaluation " + verdict.id.substr(0, 8) + " is no success (" +
                              std::string(to_string(verdict.status)) + ")",
                          "only successes are admitted to the living store");
    }
    if (options.recipe.empty() || options.recipe.find('\n') != std::string::npos) {
        throw Error(ErrorKind::usage, "--recipe takes one line of text");
    }
    const Catalogue catalogue(find_layout());
    const Problem& problem = catalogue.find(verdict.problem);
    char speedup[32];
    std::snprintf(speedup, sizeof speedup, "%.2f", verdict.speedup.value_or(0));
    std::string source = record.source;
    while (source.ends_with('\n')) {
        source.pop_back();
    }
    Database& database = store.database();
    Transaction transaction(database);
    admit_living(database, {LivingKind::recipe, problem.family, "", problem.name, speedup, options.recipe},
                 verdict.id);
    admit_living(database, {LivingKind::kernel, problem.family, problem.id, problem.name, speedup, source},
                 verdict.id);
    transaction.commit();
    if (options.json) {
        std::cout << dump_json({{"evaluation", verdict.id},
                                {"problem", problem.id},
                                {"family", problem.family},
                                {"name", problem.name},
                                {"speedup", speedup},
                                {"recipe", options.recipe}},
                               1)
                  << "\n";
        return exit_success;
    }
    std::cout << "admitted " << problem.id << " " << problem.name << ", " << speedup << "x, from evaluation "
              << verdict.id.substr(0, 8) << "\n";
    return exit_success;
}

}  // namespace

void add_memory_commands(CLI::App& /*playbook*/, PlaybookOptions& options, const AddName& /*named*/,
                         const AddPlaybookCommand& add) {
    CLI::App* const build_command =
        add("build", "Render the living memory of a problem from the store", "build L2_020", build);
    build_command->add_option("PROBLEM", options.problem, "Problem id, such as L2_020")->required();
    build_command->add_option("--arm", options.arm, "living, or living:X for what X gives its readers")
        ->capture_default_str();
    build_command->add_option("--reader", options.reader, "Model that reads it");
    CLI::App* const admit_command =
        add("admit", "Admit a success to the living store: its kernel, and a recipe in words",
            "admit 1ba307a8 --recipe 'Fuse the epilogue into one kernel.'", admit);
    admit_command->add_option("EVALUATION", options.evaluation, "Evaluation id, or its first digits")
        ->required();
    admit_command->add_option("--recipe", options.recipe, "What to do, in one line")->required();
}

}  // namespace kbeval::cli
