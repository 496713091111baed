#include <optional>

#include "base/error.h"
#include "context/context_set.h"
#include "context/living_store.h"

namespace kbeval {

namespace {

void insert(Database& database, const LivingItem& item, bool intact, const std::string& origin,
            const std::optional<std::string>& evaluation) {
    const std::string flat = flatten(item.text);
    // One row for a text, however it was damaged: the intact form takes the place of an altered one.
    Statement row(
        database,
        "INSERT INTO living_item (kind, family, problem, name, speedup, text, flat, intact, origin, "
        "evaluation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT key FROM evaluation WHERE id = ?)) "
        "ON CONFLICT DO UPDATE SET text = excluded.text, intact = 1, origin = excluded.origin "
        "WHERE intact = 0 AND excluded.intact = 1");
    row.bind(1, to_string(item.kind));
    row.bind(2, item.family);
    row.bind(3, item.problem);
    row.bind(4, item.name);
    row.bind(5, item.speedup);
    row.bind(6, item.text);
    row.bind(7, flat);
    row.bind(8, intact ? 1 : 0);
    row.bind(9, origin);
    if (evaluation) {
        row.bind(10, *evaluation);
    } else {
        row.bind_null(10);
    }
    row.run();
}

void insert_order(Database& database, const LivingItem& first, const LivingItem& second) {
    Statement row(database, "INSERT OR IGNORE INTO living_order (family, first, second) VALUES (?, ?, ?)");
    row.bind(1, first.family);
    row.bind(2, first.name + " " + first.speedup);
    row.bind(3, second.name + " " + second.speedup);
    row.run();
}

/// Whether the order of two neighbours tells something that their figures don't.
bool tells_order(const LivingItem& a, const LivingItem& b, const std::string& problem_name) {
    if (a.kind != b.kind || a.speedup.empty() || a.speedup != b.speedup || a.name == b.name) {
        return false;
    }
    return a.kind == LivingKind::recipe ||
           (!problem_name.empty() &&
            name_similarity(a.name, problem_name) == name_similarity(b.name, problem_name));
}

}  // namespace

LivingTarget living_target(Database& database, const Problem& problem, bool recipes) {
    Statement row(database, "SELECT family FROM living_family WHERE problem = ?");
    row.bind(1, problem.id);
    return {problem.id, problem.name, row.step() ? row.text(0) : problem.family, recipes};
}

void learn_family(Database& database, const LivingDocument& document, const std::string& problem) {
    for (const LivingSection& section : document.sections) {
        if (section.items.empty() || section.items.front().item.family.empty()) {
            continue;
        }
        Statement row(database, "INSERT OR REPLACE INTO living_family (problem, family) VALUES (?, ?)");
        row.bind(1, problem);
        row.bind(2, section.items.front().item.family);
        row.run();
        return;
    }
}

void learn_living(Database& database, const LivingDocument& document, bool intact, const std::string& origin,
                  const std::string& problem_name) {
    const LivingItem* previous = nullptr;
    for (const LivingSection& section : document.sections) {
        for (const PlacedItem& placed : section.items) {
            insert(database, placed.item, intact, origin, std::nullopt);
            if (previous != nullptr && tells_order(*previous, placed.item, problem_name)) {
                insert_order(database, *previous, placed.item);
            }
            previous = &placed.item;
        }
    }
}

void admit_living(Database& database, const LivingItem& item, const std::string& evaluation_id) {
    insert(database, item, true, "evaluation " + evaluation_id, evaluation_id);
}

}  // namespace kbeval
