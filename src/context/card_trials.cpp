#include "context/card_trials.h"

#include <algorithm>

#include "base/error.h"
#include "context/json_text.h"

namespace kbeval {

namespace {

using Json = nlohmann::ordered_json;

Json optional(const std::optional<double>& value) {
    return value ? Json(*value) : Json();
}

}  // namespace

Json to_json(const CardTrial& t) {
    return {{"experiment", t.experiment},
            {"created", t.created},
            {"base", t.base},
            {"origin", t.origin},
            {"problems", t.problems},
            {"pairs", t.pairs},
            {"mean_gain", t.mean_gain},
            {"low", optional(t.low)},
            {"high", optional(t.high)},
            {"wins", t.wins},
            {"losses", t.losses},
            {"ties", t.ties},
            {"success_gain", t.success_gain},
            {"admitted", t.admitted},
            {"reason", t.reason}};
}

void record_trial(Store& store, const CardTrial& t) {
    Statement row(
        store.database(),
        "INSERT OR REPLACE INTO card_trial (document, card, base, experiment, created, origin, problems, "
        "pairs, mean_gain, low, high, wins, losses, ties, success_gain, admitted, reason) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    int at = 0;
    for (const std::string* text : {&t.document, &t.card, &t.base, &t.experiment, &t.created, &t.origin}) {
        row.bind(++at, *text);
    }
    row.bind(++at, t.problems);
    row.bind(++at, t.pairs);
    row.bind(++at, t.mean_gain);
    row.bind(++at, t.low);
    row.bind(++at, t.high);
    for (const int count : {t.wins, t.losses, t.ties}) {
        row.bind(++at, count);
    }
    row.bind(++at, t.success_gain);
    row.bind(++at, t.admitted ? 1 : 0);
    row.bind(++at, t.reason);
    row.run();
}

std::vector<CardTrial> trials_of(Store& store, const std::string& document) {
    Statement row(
        store.database(),
        "SELECT card, base, experiment, created, origin, reason, problems, pairs, wins, losses, ties, "
        "admitted, mean_gain, low, high, success_gain FROM card_trial WHERE document = ? ORDER BY key");
    row.bind(1, document);
    std::vector<CardTrial> all;
    while (row.step()) {
        CardTrial t;
        t.document = document;
        t.card = row.text(0);
        t.base = row.text(1);
        t.experiment = row.text(2);
        t.created = row.text(3);
        t.origin = row.text(4);
        t.reason = row.text(5);
        t.problems = static_cast<int>(row.integer(6));
        t.pairs = static_cast<int>(row.integer(7));
        t.wins = static_cast<int>(row.integer(8));
        t.losses = static_cast<int>(row.integer(9));
        t.ties = static_cast<int>(row.integer(10));
        t.admitted = row.integer(11) != 0;
        t.mean_gain = row.real(12).value_or(0);
        t.low = row.real(13);
        t.high = row.real(14);
        t.success_gain = row.real(15).value_or(0);
        all.push_back(std::move(t));
    }
    return all;
}

std::string with_trials(const std::string& name, const std::string& text,
                        const std::vector<CardTrial>& trials) {
    if (trials.empty()) {
        return text;
    }
    ParsedJson json = parse_json(name, text);
    for (Json& card : json.value.at("cards")) {
        const auto of_card = [&](const CardTrial& t) { return card.at("id") == t.card; };
        if (std::ranges::none_of(trials, of_card)) {
            continue;
        }
        Json& provenance = card["provenance"];
        if (!provenance.is_null() && !provenance.is_object()) {
            provenance = Json{{"text", provenance}};
        }
        Json kept = Json::array();
        if (provenance.is_object() && provenance.contains("trials") && provenance["trials"].is_array()) {
            kept = provenance["trials"];
        }
        for (const CardTrial& trial : trials) {
            const bool known = std::ranges::any_of(kept, [&](const Json& old) {
                return old.is_object() && old.value("experiment", "") == trial.experiment &&
                       old.value("created", "") == trial.created;
            });
            if (of_card(trial) && !known) {
                kept.push_back(to_json(trial));
            }
        }
        provenance["trials"] = std::move(kept);
    }
    return write_json(json.value, json.layout);
}

}  // namespace kbeval
