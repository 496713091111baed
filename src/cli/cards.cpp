#include "context/cards.h"

#include <filesystem>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/layout.h"
#include "base/text.h"
#include "cli/cards.h"
#include "context/documents.h"
#include "report/record_text.h"

namespace kbeval::cli {

namespace {

using Json = nlohmann::ordered_json;

struct CardOptions {
    std::string database;
    std::string name;
    bool json = false;
};

/// A file that is there, else an imported document.
CardDocument load(const CardOptions& options) {
    if (std::filesystem::is_regular_file(options.name)) {
        return parse_cards(options.name, read_file(options.name, max_document_bytes));
    }
    Store store =
        Store::open(options.database.empty() ? default_database() : std::filesystem::path(options.database),
                    Store::Mode::read_only);
    const DocumentRow row = find_document(store, options.name);
    return parse_cards(row.name, row.text);
}

int lint(const CardOptions& options) {
    const CardDocument document = load(options);
    std::cout << findings_text(options.name, document.findings);
    std::cerr << options.name << ": " << document.cards.size() << " cards, " << document.findings.size()
              << " findings\n";
    return document.findings.empty() ? exit_success : exit_no_success;
}

int match(const CardOptions& options) {
    const CardDocument document = load(options);
    Json json = Json::object();
    for (const Card& card : document.cards) {
        json[card.id] = Json::array();
    }
    const Catalogue catalogue(find_layout());
    for (const Problem& problem : catalogue.problems()) {
        const LoadedProblem loaded = Catalogue::load(problem, Size::full);
        for (const Card& card : document.cards) {
            if (match_card(card, loaded.source, problem.family).applies) {
                json[card.id].push_back(problem.id);
            }
        }
    }
    if (options.json) {
        std::cout << dump_json(json, 1) << "\n";
        return exit_success;
    }
    for (const auto& [card, problems] : json.items()) {
        std::cout << printable(card) << ": " << problems.size() << " problems\n ";
        for (const Json& problem : problems) {
            std::cout << " " << problem.get<std::string>();
        }
        std::cout << "\n";
    }
    return exit_success;
}

}  // namespace

void add_cards(CLI::App& app, Action& chosen) {
    CLI::App* const cards =
        app.add_subcommand("cards", "Check engine cards and see where they apply")->require_subcommand(1);
    cards->footer("Example: kbeval cards match engine_cards.json");
    const auto options = std::make_shared<CardOptions>();
    const auto add = [&](const char* name, const char* help, int (*run)(const CardOptions&)) {
        CLI::App* const command = cards->add_subcommand(name, help);
        command->add_option("CARDS", options->name, "A file of cards, or the name of an imported one")
            ->required();
        command->add_option("--db", options->database,
                            "Database file (default: $KBEVAL_DB, else in the user's data folder)");
        command->footer(std::string("Example: kbeval cards ") + name + " engine_cards.json");
        command->callback([&chosen, options, run] { chosen = [options, run] { return run(*options); }; });
        return command;
    };
    add("lint", "Report patterns that RE2 can't take and other faults; exit status 1 if there are any", lint);
    add("match", "For each card, the problems that it applies to", match)
        ->add_flag("--json", options->json, "Print one JSON object: card, problems");
    add_cards_trial(*cards, chosen);
}

}  // namespace kbeval::cli
