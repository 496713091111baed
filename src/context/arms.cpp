#include <algorithm>
#include <map>

#include "base/clock.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"
#include "context/bullet_form.h"
#include "context/bullets.h"
#include "context/card_arm.h"
#include "context/cards.h"
#include "context/documents.h"
#include "context/leak_guard.h"
#include "context/living_store.h"
#include "context/prompt.h"

namespace kbeval {

namespace {

constexpr std::size_t most_memories = 10;
constexpr int most_solutions = 20;

class Builder {
  public:
    Builder(Store& store, const LoadedProblem& problem, const ContextRequest& request)
        : store_(store), problem_(problem), request_(request) {}

    BuiltContext build() {
        built_.problem = problem_.problem.id;
        built_.arm = request_.arm;
        built_.reader = request_.reader;
        if (request_.given) {
            built_.text = *request_.given;
            built_.origin = "a given text";
        } else if (request_.arm == "bare") {
            built_.origin = "the empty context";
        } else if (request_.arm == "cards") {
            build_cards();
        } else if (const auto with_card = parse_card_arm(request_.arm)) {
            build_with(*with_card);
        } else if (!take_imported()) {
            build_anew();
        }
        built_.digest = short_digest(built_.text);
        guard();
        return std::move(built_);
    }

  private:
    /// The context of an imported set or record, the newest first.
    bool take_imported() {
        Statement rows(store_.database(),
                       "SELECT e.reader, e.digest, e.state, d.name, t.text FROM context_entry AS e "
                       "JOIN context_document AS d ON d.key = e.document "
                       "JOIN context_text AS t ON t.digest = e.digest "
                       "WHERE e.arm = ?1 AND e.problem = ?2 AND (?3 = '' OR d.name = ?3) "
                       "ORDER BY d.key DESC, e.position");
        rows.bind(1, request_.arm);
        rows.bind(2, problem_.problem.id);
        rows.bind(3, request_.from);
        std::map<std::string, std::string> by_reader;  // reader: digest, of the newest document
        std::string text;
        while (rows.step()) {
            if (rows.text(2) == "altered") {
                note_once("the context that " + rows.text(3) + " holds is altered, so it is not used");
                continue;
            }
            if (!built_.origin.empty() && rows.text(3) != built_.origin) {
                break;
            }
            built_.origin = rows.text(3);
            by_reader[rows.text(0)] = rows.text(1);
            if (text.empty() || rows.text(0) == request_.reader) {
                text = rows.text(4);
            }
        }
        if (by_reader.empty()) {
            return false;
        }
        const bool same = std::ranges::all_of(
            by_reader, [&](const auto& entry) { return entry.second == by_reader.begin()->second; });
        if (!by_reader.contains(request_.reader) && !same) {
            refuse_reader(by_reader);
        }
        built_.text = std::move(text);
        built_.choices.push_back({"text", built_.origin, "in", "imported for this problem"});
        return true;
    }

    void note_once(const std::string& note) {
        if (std::ranges::find(built_.notes, note) == built_.notes.end()) {
            built_.notes.push_back(note);
        }
    }

    [[noreturn]] void refuse_reader(const std::map<std::string, std::string>& known) const {
        std::vector<std::string> names;
        names.reserve(known.size());
        for (const auto& [reader, value] : known) {
            names.push_back(reader);
        }
        throw input_error("arm " + printable(request_.arm) + " depends on the reader, and " +
                              (request_.reader.empty() ? std::string("none is named")
                                                       : "'" + printable(request_.reader) + "' is unknown"),
                          "name one with --reader: " + join(names, ", "));
    }

    void build_anew() {
        if (request_.arm == "ace") {
            built_.text = newest(DocumentFormat::ace).text;
        } else if (request_.arm == "mem0") {
            build_memories();
        } else if (request_.arm == "living" || request_.arm.starts_with("living:")) {
            build_living({}, {});
        } else {
            throw input_error("no document has a context of arm '" + printable(request_.arm) + "' for " +
                                  problem_.problem.id,
                              "arms that are known: " + join(known_arms(), ", ") +
                                  "; import a document (kbeval playbook import), or name a file");
        }
    }

    [[nodiscard]] std::vector<std::string> known_arms() const {
        std::vector<std::string> arms{"bare", "ace", "mem0", "living", "cards"};
        Statement rows(store_.database(), "SELECT DISTINCT arm FROM context_entry ORDER BY arm");
        while (rows.step()) {
            if (std::ranges::find(arms, rows.text(0)) == arms.end()) {
                arms.push_back(rows.text(0));
            }
        }
        return arms;
    }

    DocumentRow newest(DocumentFormat format) {
        Statement row(store_.database(),
                      "SELECT name FROM context_document WHERE format = ?1 AND (?2 = '' OR name = ?2) "
                      "ORDER BY key DESC LIMIT 1");
        row.bind(1, to_string(format));
        row.bind(2, request_.from);
        if (!row.step()) {
            throw input_error("no document of format " + std::string(to_string(format)) + " is imported" +
                                  (request_.from.empty() ? "" : " as '" + printable(request_.from) + "'"),
                              "import one with `kbeval playbook import FILE`");
        }
        const std::string name = row.text(0);
        built_.origin = name;
        built_.choices.push_back(
            {"text", name, "in", "the newest of format " + std::string(to_string(format))});
        return find_document(store_, name);
    }

    /// The items that share most with the problem's name and family, none that names the problem itself.
    void build_memories() {
        const DocumentRow document = newest(DocumentFormat::mem0);
        const BulletDocument pool = parse_bullets(document.name, document.text, BulletStyle::mem0).document;
        std::vector<std::string> words = name_words(problem_.problem.name);
        words.push_back(problem_.problem.family);
        std::vector<std::pair<int, const Bullet*>> ranked;
        for (const Bullet* const bullet : pool.bullets()) {
            if (!find_leaks(problem_.problem, bullet->text(), {}).empty()) {
                built_.choices.push_back({"memory", bullet->id, "out", "it names the problem itself"});
                continue;
            }
            const std::string text = lower_case(bullet->text());
            const auto shared = std::ranges::count_if(
                words, [&](const std::string& word) { return text.find(word) != std::string::npos; });
            ranked.emplace_back(static_cast<int>(shared), bullet);
        }
        std::ranges::stable_sort(ranked, [](const auto& a, const auto& b) { return a.first > b.first; });
        built_.text = pool.preamble;
        for (std::size_t i = 0; i < ranked.size(); ++i) {
            const Bullet& bullet = *ranked[i].second;
            const bool in = i < most_memories;
            built_.choices.push_back(
                {"memory", bullet.id, in ? "in" : "out",
                 "shares " + std::to_string(ranked[i].first) + " words with the problem"});
            if (in) {
                built_.text += (i == 0 ? "[" : "\n[") + bullet.id + "] " + std::string(bullet.text());
            }
        }
    }

    void build_living(const Demotion& demotion, const std::string& inserted) {
        const LivingStore living = LivingStore::load(store_.database());
        if (living.empty()) {
            throw input_error("the living store is empty",
                              "import living memory with `kbeval playbook import FILE`");
        }
        const Problem& problem = problem_.problem;
        BuiltLiving made =
            living.build(living_target(store_.database(), problem, recipes_for_reader()), demotion, inserted);
        built_.text = std::move(made.text);
        built_.origin = "built from the living store";
        built_.choices.insert(built_.choices.end(), made.choices.begin(), made.choices.end());
        built_.notes.insert(built_.notes.end(), made.notes.begin(), made.notes.end());
    }

    [[nodiscard]] bool recipes_for_reader() const {
        if (!request_.arm.starts_with("living:")) {
            return true;
        }
        Statement rows(store_.database(), "SELECT reader, recipes FROM living_reader WHERE arm = ?");
        rows.bind(1, request_.arm);
        std::map<std::string, std::string> known;
        while (rows.step()) {
            known[rows.text(0)] = rows.text(1);
        }
        if (known.empty()) {
            throw input_error("no document says what arm '" + printable(request_.arm) + "' gives its readers",
                              "arms that are known: " + join(known_arms(), ", "));
        }
        if (!known.contains(request_.reader)) {
            refuse_reader(known);
        }
        return known[request_.reader] == "1";
    }

    /// Another arm with one card: over the living store as the arm `cards` does it, else behind the other's
    /// text.
    void build_with(const CardArm& arm) {
        if (arm.base == "cards") {
            throw input_error("arm " + printable(request_.arm) + ": the arm cards holds every card already",
                              "put the card into another arm, such as living");
        }
        const DocumentRow document =
            arm.document.empty() ? newest(DocumentFormat::cards) : find_document(store_, arm.document);
        const std::vector<Card> cards = parse_cards(document.name, document.text).cards;
        const auto card = std::ranges::find(cards, arm.card, &Card::id);
        if (card == cards.end()) {
            std::vector<std::string> ids;
            std::ranges::transform(cards, std::back_inserter(ids), &Card::id);
            throw input_error(printable(document.name) + " has no card '" + printable(arm.card) + "'",
                              "its cards are " + join(ids, ", "));
        }
        ContextRequest base = request_;
        base.arm = arm.base;
        base.allow_leak = true;  // the whole text is guarded
        const CardMatch match = match_card(*card, problem_.source, problem_.problem.family);
        const bool living = arm.base == "living" || arm.base.starts_with("living:");
        Builder below(store_, problem_, base);
        if (match.applies && living) {
            below.build_living([&card](const LivingItem& item) { return demoted_by(*card, item); },
                               card_text(*card));
        } else {
            below.built_ = below.build();
        }
        const std::string origin = below.built_.origin;
        built_.text = std::move(below.built_.text);
        built_.notes = std::move(below.built_.notes);
        built_.choices.push_back({"card", card->id, match.applies ? "in" : "out", match.reason});
        built_.choices.insert(built_.choices.end(), below.built_.choices.begin(), below.built_.choices.end());
        if (match.applies && !living) {
            built_.text += (built_.text.empty()           ? ""
                            : built_.text.ends_with('\n') ? "\n"
                                                          : "\n\n") +
                           card_text(*card);
        }
        built_.origin = document.name + " over " + origin;
    }

    /// Why an item of memory drops; empty: it doesn't.
    static std::string demoted_by(const Card& card, const LivingItem& item) {
        // Rules of the environment hold whatever a technique says.
        const bool technique = item.kind != LivingKind::lesson && item.kind != LivingKind::kernel;
        return technique && demotes(card, item.text) ? "contradicts card " + card.id : "";
    }

    void build_cards() {
        const DocumentRow document = newest(DocumentFormat::cards);
        // Parsed once for all problems that are asked for in a row.
        thread_local std::string parsed_text;
        thread_local std::vector<Card> cards;
        if (parsed_text != document.text) {
            cards = parse_cards(document.name, document.text).cards;
            parsed_text = document.text;
        }
        std::vector<Card> applying;
        std::string sections;
        for (const Card& card : cards) {
            const CardMatch match = match_card(card, problem_.source, problem_.problem.family);
            built_.choices.push_back({"card", card.id, match.applies ? "in" : "out", match.reason});
            if (match.applies) {
                applying.push_back(card);
                sections += (sections.empty() ? "" : "\n\n") + card_text(card);
            }
        }
        build_living(
            [&applying](const LivingItem& item) {
                for (const Card& card : applying) {
                    if (std::string reason = demoted_by(card, item); !reason.empty()) {
                        return reason;
                    }
                }
                return std::string();
            },
            sections);
        built_.origin = document.name + " over the living store";
    }

    std::string card_text(const Card& card) {
        if (!card.example) {
            return card.text;
        }
        if (card.example->problem == problem_.problem.id) {
            built_.choices.push_back({"example", card.id, "out", "it is of the problem itself"});
            return card.text;
        }
        built_.choices.push_back({"example", card.id, "in", "of " + card.example->problem});
        std::string source = card.example->source;
        while (source.ends_with('\n')) {
            source.pop_back();
        }
        char speedup[32];
        std::snprintf(speedup, sizeof speedup, "%.2f", card.example->speedup);
        return card.text + "\n\n### A verified kernel that uses technique " + card.id + " (" +
               card.example->problem + ", " + speedup + "x): adapt what applies\n```python\n" + source +
               "\n```";
    }

    [[nodiscard]] std::vector<KnownSolution> solutions() {
        std::vector<KnownSolution> known;
        Statement rows(
            store_.database(),
            "SELECT DISTINCT s.text, e.id FROM evaluation AS e JOIN source AS s ON s.digest = e.source "
            "WHERE e.problem = ? AND e.status = 'correct' ORDER BY e.key DESC LIMIT " +
                std::to_string(most_solutions));
        rows.bind(1, problem_.problem.id);
        while (rows.step()) {
            known.push_back({"evaluation " + rows.text(1).substr(0, 8), rows.text(0)});
        }
        Statement kernels(store_.database(),
                          "SELECT text FROM living_item WHERE kind = 'kernel' AND problem = ?");
        kernels.bind(1, problem_.problem.id);
        while (kernels.step()) {
            known.push_back({"the living store", kernels.text(0)});
        }
        return known;
    }

    void guard() {
        if (built_.text.empty()) {
            return;
        }
        built_.leaks = find_leaks(problem_.problem, built_.text, solutions());
        if (!built_.leaks.empty() && !request_.allow_leak) {
            throw input_error("the context of arm " + printable(request_.arm) + " gives " +
                                  problem_.problem.id + " its own solution away:\n  " +
                                  join(built_.leaks, "\n  "),
                              "--allow-leak hands it out all the same, and records that");
        }
    }

    Store& store_;
    const LoadedProblem& problem_;
    const ContextRequest& request_;
    BuiltContext built_;
};

}  // namespace

BuiltContext build_context(Store& store, const Catalogue& catalogue, const ContextRequest& request) {
    const LoadedProblem problem = Catalogue::load(catalogue.find(request.problem), Size::full);
    return Builder(store, problem, request).build();
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
