#include "context/import_parts.h"

#include <map>
#include <set>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"
#include "context/bullets.h"
#include "context/living_store.h"

namespace kbeval {

namespace {

void insert_bullets(Database& database, std::int64_t document, const BulletDocument& bullets) {
    Statement row(database,
                  "INSERT INTO playbook_bullet (document, position, bullet, section, helpful, harmful, text) "
                  "VALUES (?, ?, ?, ?, ?, ?, ?)");
    int position = 0;
    for (const BulletSection& section : bullets.sections) {
        for (const Bullet& bullet : section.bullets) {
            row.bind(1, document);
            row.bind(2, position++);
            row.bind(3, bullet.id);
            row.bind(4, section.title);
            row.bind(5, bullet.helpful.value);
            row.bind(6, bullet.harmful.value);
            row.bind(7, bullet.text());
            row.run();
        }
    }
}

void insert_entry(Database& database, std::int64_t document, const ContextEntry& entry, int position,
                  const std::string& digest, const std::string& recorded) {
    Statement row(
        database,
        "INSERT INTO context_entry (document, arm, reader, problem, position, digest, recorded, state) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    row.bind(1, document);
    row.bind(2, entry.arm);
    row.bind(3, entry.reader);
    row.bind(4, entry.problem);
    row.bind(5, position);
    row.bind(6, digest);
    row.bind(7, recorded);
    row.bind(8, digest == recorded ? "intact" : "altered");
    row.run();
}

std::string name_of(const Catalogue& catalogue, const std::string& problem) {
    for (const Problem& known : catalogue.problems()) {
        if (known.id == problem) {
            return known.name;
        }
    }
    return {};
}

std::optional<DocumentFormat> format_of(const std::string& text) {
    try {
        return detect_format("context", text);
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// The items of all Mem0 lists of an arm as one list, in order of first appearance.
std::string pooled(const std::vector<std::string>& texts) {
    BulletDocument pool;
    std::set<std::string> seen;
    for (const std::string& text : texts) {
        const BulletDocument document = parse_bullets("context", text, BulletStyle::mem0).document;
        if (pool.sections.empty()) {
            pool = document;
            pool.sections.assign(1, {});
        }
        for (const Bullet* const bullet : document.bullets()) {
            if (seen.insert(bullet->id).second) {
                Bullet copy = *bullet;
                copy.rest = " " + std::string(bullet->text()) + "\n";
                pool.sections[0].bullets.push_back(std::move(copy));
            }
        }
    }
    if (!pool.sections.empty() && !pool.sections[0].bullets.empty()) {
        pool.sections[0].bullets.back().rest.pop_back();
    }
    return render(pool);
}

/// The playbooks that a set holds: an ACE text that all share, and all items of an arm's Mem0 lists.
void insert_playbooks(Database& database, std::int64_t document, const std::string& name,
                      const ContextSet& set, ImportReport& report) {
    std::map<std::string, std::vector<std::string>> distinct;
    for (const ContextEntry& entry : set.entries) {
        auto& texts = distinct[entry.arm];
        if (std::find(texts.begin(), texts.end(), entry.text) == texts.end()) {
            texts.push_back(entry.text);
        }
    }
    for (const auto& [arm, texts] : distinct) {
        const auto format = format_of(texts.front());
        const std::string part = name + "/" + arm;
        if (format == DocumentFormat::ace && texts.size() == 1) {
            const auto key = insert_document(database, part, *format, name, document, texts.front());
            insert_bullets(database, key, parse_bullets(part, texts.front(), BulletStyle::ace).document);
        } else if (format == DocumentFormat::mem0) {
            const std::string pool = pooled(texts);
            const auto key = insert_document(database, part, *format, name, document, pool);
            insert_bullets(database, key, parse_bullets(part, pool, BulletStyle::mem0).document);
        } else {
            continue;
        }
        report.parts.push_back(part);
    }
}

/// `text` without the sections of recipes.
std::string without_recipes(const std::string& text) {
    std::string out = text;
    const std::size_t begin = out.find("\n\n### Verified recipes for ");
    if (begin != std::string::npos) {
        const std::size_t end = out.find("\n\n### ", begin + 2);
        out.erase(begin, end == std::string::npos ? std::string::npos : end - begin);
    }
    return out;
}

/// Finds out which readers an arm such as living:rC gives no recipes.
void learn_readers(Database& database, const ContextSet& set) {
    std::map<std::string, std::map<std::string, const std::string*>> living;  // reader, problem
    for (const ContextEntry& entry : set.entries) {
        if (entry.arm == "living") {
            living[entry.reader][entry.problem] = &entry.text;
        }
    }
    std::map<std::pair<std::string, std::string>, std::pair<bool, bool>> fits;  // with, without recipes
    for (const ContextEntry& entry : set.entries) {
        if (entry.arm.starts_with("living:") && living[entry.reader].contains(entry.problem)) {
            const std::string& full = *living[entry.reader][entry.problem];
            auto [at, fresh] = fits.try_emplace({entry.arm, entry.reader}, true, true);
            at->second.first = at->second.first && entry.text == full;
            at->second.second = at->second.second && entry.text == without_recipes(full);
        }
    }
    for (const auto& [which, fit] : fits) {
        if (fit.first || fit.second) {
            Statement row(database,
                          "INSERT OR REPLACE INTO living_reader (arm, reader, recipes) VALUES (?, ?, ?)");
            row.bind(1, which.first);
            row.bind(2, which.second);
            row.bind(3, fit.first ? 1 : 0);
            row.run();
        }
    }
}

void import_set(Database& database, const Catalogue& catalogue, std::int64_t document,
                const std::string& name, const std::string& text, ImportReport& report) {
    const ContextSet set = read_context_set(name, parse_json(name, text).value);
    int position = 0;
    std::set<std::string> learnt;
    for (const ContextEntry& entry : set.entries) {
        const std::string digest = store_context_text(database, entry.text);
        insert_entry(database, document, entry, position++, digest, digest);
        if (learnt.insert(digest).second && format_of(entry.text) == DocumentFormat::living) {
            learn_living(database, parse_living(name, entry.text).document, true, name,
                         name_of(catalogue, entry.problem));
            learn_family(database, parse_living(name, entry.text).document, entry.problem);
        }
    }
    learn_readers(database, set);
    insert_playbooks(database, document, name, set, report);
}

void import_records(Database& database, std::int64_t document, const std::string& name,
                    const std::string& text, ImportReport& report) {
    int position = 0;
    for (const ProblemRecord& record : read_problem_records(name, parse_json(name, text).value)) {
        for (const ProblemRecord::Reader& reader : record.contexts) {
            const auto format = format_of(reader.text);
            const std::string digest = store_context_text(database, reader.text);
            const bool promised = record.same_for_readers || &reader == &record.contexts.front();
            const std::string recorded = promised ? record.ctx_sha : digest;
            const std::string arm = format ? std::string(to_string(*format)) : "bare";
            insert_entry(database, document, {arm, reader.reader, record.problem, {}}, position++, digest,
                         recorded);
            if (format == DocumentFormat::living && &reader == &record.contexts.front()) {
                learn_living(database, parse_living(name, reader.text).document, digest == recorded, name,
                             record.name);
                learn_family(database, parse_living(name, reader.text).document, record.problem);
            }
            report.altered += digest == recorded ? 0 : 1;
        }
    }
}

bool text_known(Database& database, const std::string& digest) {
    Statement row(database, "SELECT 1 FROM context_text WHERE digest = ?");
    row.bind(1, digest);
    return row.step();
}

}  // namespace

void import_parts(Database& database, const Catalogue& catalogue, std::int64_t document,
                  const std::string& name, const std::string& text, DocumentFormat format,
                  ImportReport& report) {
    switch (format) {
        case DocumentFormat::ace:
            insert_bullets(database, document, parse_bullets(name, text, BulletStyle::ace).document);
            break;
        case DocumentFormat::mem0:
            insert_bullets(database, document, parse_bullets(name, text, BulletStyle::mem0).document);
            break;
        case DocumentFormat::living:
            store_context_text(database, text);
            learn_living(database, parse_living(name, text).document, true, name, {});
            break;
        case DocumentFormat::cards:
            break;
        case DocumentFormat::context_set:
            import_set(database, catalogue, document, name, text, report);
            break;
        case DocumentFormat::problem_records:
            import_records(database, document, name, text, report);
            break;
    }
}

int restore_altered(Database& database, std::vector<std::string>& notes) {
    Statement rows(database,
                   "SELECT DISTINCT d.key, d.name, d.text, e.problem, e.recorded FROM context_entry AS e "
                   "JOIN context_document AS d ON d.key = e.document WHERE e.state = 'altered'");
    const LivingStore living = LivingStore::load(database);
    std::map<std::string, std::vector<ProblemRecord>> documents;
    int restored = 0;
    while (rows.step()) {
        const std::string name = rows.text(1);
        const std::string problem = rows.text(3);
        const std::string recorded = rows.text(4);
        std::string how = "another document";
        if (!text_known(database, recorded)) {
            auto [records, fresh] = documents.try_emplace(name);
            if (fresh) {
                records->second = read_problem_records(name, parse_json(name, rows.text(2)).value);
            }
            for (const ProblemRecord& record : records->second) {
                const std::string built =
                    record.problem == problem ? living.build({problem, record.name, record.family}).text : "";
                if (short_digest(built) == recorded) {
                    store_context_text(database, built);
                    how = "the living store, which builds it byte for byte";
                }
            }
        }
        if (!text_known(database, recorded)) {
            continue;
        }
        Statement update(database,
                         "UPDATE context_entry SET digest = recorded, state = 'restored' "
                         "WHERE document = ? AND problem = ? AND recorded = ? AND state = 'altered'");
        update.bind(1, rows.integer(0));
        update.bind(2, problem);
        update.bind(3, recorded);
        update.run();
        ++restored;
        notes.push_back(name + ": " + problem + " was altered; its context " + recorded +
                        " is restored from " + how);
    }
    return restored;
}

}  // namespace kbeval
