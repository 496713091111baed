#include "context/counts.h"

#include <map>
#include <set>

#include "context/bullet_form.h"
#include "context/bullets.h"
#include "context/card_trials.h"
#include "context/documents.h"

namespace kbeval {

namespace {

/// What the events of one bullet (and group) add up to.
struct Tally {
    std::set<std::string> helpful;  // "source reply": the same reply counts once
    std::set<std::string> harmful;
    std::map<std::int64_t, std::pair<bool, double>> evaluations;  // by key: success, score
};

using Tallies = std::map<std::pair<std::string, std::string>, Tally>;  // by bullet in lower case, group

Tallies tally(Database& database, const CountsQuery& query,
              const std::map<std::string, std::string>& families) {
    Statement rows(
        database,
        "SELECT b.bullet, b.kind, b.source || ' ' || b.reply, b.reader, e.key, e.problem, e.success, "
        "e.score, e.status FROM bullet_event AS b LEFT JOIN evaluation AS e ON e.key = b.evaluation "
        "WHERE b.playbook = ? AND b.created >= ?");
    rows.bind(1, query.playbook);
    rows.bind(2, query.since);
    Tallies tallies;
    while (rows.step()) {
        std::string group;
        if (query.by == "reader") {
            group = rows.text(3);
        } else if (query.by == "family") {
            const auto family = families.find(rows.text(5));
            group = family == families.end() ? "" : family->second;
        }
        Tally& at = tallies[{lower_case(rows.text(0)), group}];
        (rows.text(1) == "helpful" ? at.helpful : at.harmful).insert(rows.text(2));
        if (!rows.is_null(4) && rows.text(8) != "infra_error") {
            at.evaluations[rows.integer(4)] = {rows.integer(6) != 0, rows.real(7).value_or(0)};
        }
    }
    return tallies;
}

void fill(BulletCounts& counts, const Tally& found) {
    counts.event_helpful = static_cast<std::int64_t>(found.helpful.size());
    counts.event_harmful = static_cast<std::int64_t>(found.harmful.size());
    counts.evaluations = static_cast<std::int64_t>(found.evaluations.size());
    if (found.evaluations.empty()) {
        return;
    }
    double successes = 0;
    double score = 0;
    for (const auto& [key, result] : found.evaluations) {
        successes += result.first ? 1 : 0;
        score += result.second;
    }
    counts.success_rate = successes / static_cast<double>(found.evaluations.size());
    counts.mean_score = score / static_cast<double>(found.evaluations.size());
}

}  // namespace

std::vector<BulletCounts> bullet_counts(Store& store, const CountsQuery& query,
                                        const std::vector<std::pair<std::string, std::string>>& family_of) {
    find_document(store, query.playbook);
    Database& database = store.database();
    const Transaction snapshot(database, Transaction::Kind::read);
    const Tallies tallies = tally(database, query, {family_of.begin(), family_of.end()});
    Statement rows(database,
                   "SELECT bullet, section, base_helpful, base_harmful FROM bullet_counts WHERE playbook = ? "
                   "ORDER BY position");
    rows.bind(1, query.playbook);
    std::vector<BulletCounts> all;
    while (rows.step()) {
        BulletCounts counts;
        counts.bullet = rows.text(0);
        counts.section = rows.text(1);
        counts.base_helpful = rows.integer(2);
        counts.base_harmful = rows.integer(3);
        const std::string key = lower_case(counts.bullet);
        bool found = false;
        for (auto at = tallies.lower_bound({key, ""}); at != tallies.end() && at->first.first == key; ++at) {
            BulletCounts of_group = counts;
            of_group.group = at->first.second;
            fill(of_group, at->second);
            all.push_back(std::move(of_group));
            found = true;
        }
        if (!found && query.by.empty()) {
            all.push_back(std::move(counts));
        }
    }
    return all;
}

std::vector<std::pair<std::string, std::int64_t>> unknown_citations(Store& store,
                                                                    const std::string& playbook) {
    Statement rows(
        store.database(),
        "SELECT bullet, count(DISTINCT source || ' ' || reply) FROM bullet_event WHERE playbook = ?1 "
        "AND bullet NOT IN (SELECT bullet FROM bullet_counts WHERE playbook = ?1) "
        "GROUP BY bullet ORDER BY bullet");
    rows.bind(1, playbook);
    std::vector<std::pair<std::string, std::int64_t>> all;
    while (rows.step()) {
        all.emplace_back(rows.text(0), rows.integer(1));
    }
    return all;
}

std::string export_playbook(Store& store, const std::string& name) {
    const DocumentRow document = find_document(store, name);
    if (document.format == DocumentFormat::cards) {
        return with_trials(name, document.text, trials_of(store, name));
    }
    if (document.format != DocumentFormat::ace) {
        return render_again(name, document.text, document.format);  // other formats hold no counts
    }
    BulletDocument playbook = parse_bullets(name, document.text, BulletStyle::ace).document;
    std::map<std::string, BulletCounts> counts;
    for (BulletCounts& of_bullet : bullet_counts(store, {name, "", ""}, {})) {
        counts.emplace(lower_case(of_bullet.bullet), std::move(of_bullet));
    }
    for (BulletSection& section : playbook.sections) {
        for (Bullet& bullet : section.bullets) {
            // Of a doubled id only the first is meant: node handles leave no second.
            if (const auto found = counts.extract(lower_case(bullet.id))) {
                bullet.helpful.set(bullet.helpful.value + found.mapped().event_helpful);
                bullet.harmful.set(bullet.harmful.value + found.mapped().event_harmful);
            }
        }
    }
    return render(playbook);
}

}  // namespace kbeval
