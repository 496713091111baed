#include "context/cards.h"
#include "context/leak_guard.h"

namespace kbeval {

namespace {

constexpr int most_candidates = 50;

void add_candidates(Database& database, const std::string& problem, std::vector<KnownSolution>& known) {
    Statement rows(database,
                   "SELECT s.text, e.id, max(e.key) AS newest FROM evaluation AS e "
                   "JOIN source AS s ON s.digest = e.source WHERE e.problem = ? AND e.status = 'correct' "
                   "GROUP BY e.source ORDER BY newest DESC LIMIT " +
                       std::to_string(most_candidates));
    rows.bind(1, problem);
    while (rows.step()) {
        known.push_back({"evaluation " + rows.text(1).substr(0, 8), rows.text(0)});
    }
}

void add_kernels(Database& database, const std::string& problem, std::vector<KnownSolution>& known) {
    Statement rows(database, "SELECT text FROM living_item WHERE kind = 'kernel' AND problem = ?");
    rows.bind(1, problem);
    while (rows.step()) {
        known.push_back({"the living store", rows.text(0)});
    }
}

void add_examples(Database& database, const std::string& problem, std::vector<KnownSolution>& known) {
    Statement rows(database, "SELECT name, text FROM context_document WHERE format = 'cards'");
    while (rows.step()) {
        const std::string name = rows.text(0);
        for (const Card& card : cards_of(name, rows.text(1))) {
            if (card.example && card.example->problem == problem) {
                known.push_back({"card " + card.id + " of " + name, card.example->source});
            }
        }
    }
}

}  // namespace

std::vector<KnownSolution> known_solutions(Store& store, const std::string& problem) {
    std::vector<KnownSolution> known;
    add_candidates(store.database(), problem, known);
    add_kernels(store.database(), problem, known);
    add_examples(store.database(), problem, known);
    return known;
}

}  // namespace kbeval
