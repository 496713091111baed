#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"
#include "context/arm_work.h"
#include "context/documents.h"
#include "context/leak_guard.h"

namespace kbeval {

namespace {

void guard(ArmWork& work) {
    BuiltContext& built = work.built;
    const Problem& problem = work.problem.problem;
    if (built.text.empty()) {
        return;
    }
    built.leaks = find_leaks(problem, built.text, known_solutions(work.store, problem.id));
    if (!built.leaks.empty() && !work.request.allow_leak) {
        throw input_error("the context of arm " + printable(work.request.arm) + " gives " + problem.id +
                              " its own solution away:\n  " + join(built.leaks, "\n  "),
                          "--allow-leak hands it out all the same, and records that");
    }
}

}  // namespace

std::vector<std::string> known_arms(Store& store) {
    std::vector<std::string> arms{"bare", "ace", "mem0", "living", "cards"};
    Statement rows(store.database(), "SELECT DISTINCT arm FROM context_entry ORDER BY arm");
    while (rows.step()) {
        if (std::ranges::find(arms, rows.text(0)) == arms.end()) {
            arms.push_back(rows.text(0));
        }
    }
    return arms;
}

DocumentRow newest_document(ArmWork& work, DocumentFormat format) {
    const ContextRequest& request = work.request;
    Statement row(work.store.database(),
                  "SELECT name FROM context_document WHERE format = ?1 AND (?2 = '' OR name = ?2) "
                  "ORDER BY key DESC LIMIT 1");
    row.bind(1, to_string(format));
    row.bind(2, request.from);
    if (!row.step()) {
        throw input_error("no document of format " + std::string(to_string(format)) + " is imported" +
                              (request.from.empty() ? "" : " as '" + printable(request.from) + "'"),
                          "import one with `kbeval playbook import FILE`");
    }
    const std::string name = row.text(0);
    work.built.origin = name;
    work.built.choices.push_back(
        {"text", name, "in", "the newest of format " + std::string(to_string(format))});
    return find_document(work.store, name);
}

void build_arm(ArmWork& work) {
    const ContextRequest& request = work.request;
    if (request.given) {
        work.built.text = *request.given;
        work.built.origin = "a given text";
    } else if (request.arm == "bare") {
        work.built.origin = "the empty context";
    } else if (request.arm == "cards") {
        build_cards(work);
    } else if (const auto with_card = parse_card_arm(request.arm)) {
        build_with_card(work, *with_card);
    } else if (take_imported(work)) {
        return;
    } else if (request.arm == "ace") {
        build_playbook(work);
    } else if (request.arm == "mem0") {
        build_memories(work);
    } else if (request.arm == "living" || request.arm.starts_with("living:")) {
        build_living(work);
    } else {
        throw input_error("no document has a context of arm '" + printable(request.arm) + "' for " +
                              work.problem.problem.id,
                          "arms that are known: " + join(known_arms(work.store), ", ") +
                              "; import a document (kbeval playbook import), or name a file");
    }
}

BuiltContext build_context(Store& store, const Catalogue& catalogue, const ContextRequest& request) {
    const LoadedProblem problem = Catalogue::load(catalogue.find(request.problem), Size::full);
    BuiltContext built;
    built.problem = problem.problem.id;
    built.arm = request.arm;
    built.reader = request.reader;
    ArmWork work{store, problem, request, built};
    build_arm(work);
    built.digest = short_digest(built.text);
    guard(work);
    return built;
}

void record_context(Store& store, const BuiltContext& context) {
    Database& database = store.database();
    Transaction transaction(database);
    store_context_text(database, context.text);
    for (const std::string& leak : context.leaks) {
        Statement row(database,
                      "INSERT INTO context_leak (problem, arm, reader, digest, reason, allowed) "
                      "VALUES (?, ?, ?, ?, ?, ?)");
        row.bind(1, context.problem);
        row.bind(2, context.arm);
        row.bind(3, context.reader);
        row.bind(4, context.digest);
        row.bind(5, leak);
        row.bind(6, utc_now());
        row.run();
    }
    transaction.commit();
}

}  // namespace kbeval
