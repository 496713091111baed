#include "context/cards.h"

#include <re2/re2.h>

#include <map>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/text.h"

namespace kbeval {

namespace {

using Json = nlohmann::ordered_json;

/// Compiled once a process: 250 problems ask for the same few patterns. Nothing where RE2 can't take it.
const re2::RE2* compiled(const std::string& pattern) {
    thread_local std::map<std::string, std::unique_ptr<re2::RE2>> known;
    auto& entry = known[pattern];
    if (!entry) {
        re2::RE2::Options options;
        options.set_log_errors(false);
        entry = std::make_unique<re2::RE2>(pattern, options);
    }
    return entry->ok() ? entry.get() : nullptr;
}

bool matches(const std::string& pattern, std::string_view text) {
    const re2::RE2* const expression = compiled(pattern);
    return expression != nullptr &&
           re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression);
}

/// Reads the fields of one card, and says which one is wrong.
class Reader {
  public:
    Reader(const std::string& name, const Json& json, std::size_t index)
        : where_(printable(name) + ": card " + std::to_string(index + 1)), json_(json) {
        if (!json.is_object()) {
            throw input_error(where_ + " is no object");
        }
        if (json.contains("id") && json["id"].is_string()) {
            where_ += " (" + printable(json["id"].get<std::string>()) + ")";
        }
    }

    [[nodiscard]] std::string text(const char* field) const {
        if (!json_.contains(field) || !json_[field].is_string()) {
            throw input_error(where_ + ": \"" + field + "\" is missing or no string");
        }
        return json_[field].get<std::string>();
    }

    [[nodiscard]] std::optional<std::string> optional_text(const char* field) const {
        if (!json_.contains(field) || json_[field].is_null()) {
            return std::nullopt;
        }
        return text(field);
    }

    [[nodiscard]] std::vector<std::string> texts(const char* field) const {
        std::vector<std::string> all;
        if (!json_.contains(field) || json_[field].is_null()) {
            return all;
        }
        if (!json_[field].is_array()) {
            throw input_error(where_ + ": \"" + field + "\" is no list");
        }
        for (const Json& member : json_[field]) {
            if (!member.is_string()) {
                throw input_error(where_ + ": \"" + field + "\" holds something that is no string");
            }
            all.push_back(member.get<std::string>());
        }
        return all;
    }

    [[nodiscard]] std::optional<CardExample> example() const {
        if (!json_.contains("example") || json_["example"].is_null()) {
            return std::nullopt;
        }
        const Json& object = json_["example"];
        if (!object.is_object() || !object.contains("pid") || !object["pid"].is_string() ||
            !object.contains("source") || !object["source"].is_string()) {
            throw input_error(where_ + ": \"example\" needs the strings \"pid\" and \"source\"");
        }
        CardExample example{object["pid"].get<std::string>(), object["source"].get<std::string>(), 0};
        if (object.contains("speedup") && !object["speedup"].is_null()) {
            if (!object["speedup"].is_number()) {
                throw input_error(where_ + ": the example's \"speedup\" is no number");
            }
            example.speedup = object["speedup"].get<double>();
        }
        return example;
    }

  private:
    std::string where_;
    const Json& json_;
};

Card read_card(const std::string& name, const Json& json, std::size_t index) {
    const Reader reader(name, json, index);
    Card card;
    card.id = reader.text("id");
    card.include = reader.text("include");
    card.exclude = reader.optional_text("exclude");
    card.exclude_families = reader.texts("exclude_families");
    card.text = reader.text("text");
    card.demote = reader.optional_text("demote");
    card.example = reader.example();
    return card;
}

void check_pattern(const Card& card, const char* field, const std::string& pattern, std::string_view text,
                   std::vector<Finding>& findings) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    const re2::RE2 expression(pattern, options);
    if (!expression.ok()) {
        std::string quoted_pattern = Json(pattern).dump(-1, ' ', false, Json::error_handler_t::replace);
        const std::size_t at = text.find(quoted_pattern);
        findings.push_back(
            {place_of(text, at == std::string_view::npos ? 0 : at), "bad-pattern",
             "card " + card.id + ": \"" + field + "\": RE2 can't take it: " + expression.error()});
    }
}

void lint(CardDocument& document, std::string_view text) {
    std::set<std::string> ids;
    for (const Card& card : document.cards) {
        const auto add = [&](const char* rule, const std::string& message) {
            const std::size_t at = text.find("\"" + card.id + "\"");
            document.findings.push_back({place_of(text, at == std::string_view::npos ? 0 : at), rule,
                                         "card " + card.id + ": " + message});
        };
        check_pattern(card, "include", card.include, text, document.findings);
        if (card.exclude) {
            check_pattern(card, "exclude", *card.exclude, text, document.findings);
        }
        if (card.demote) {
            check_pattern(card, "demote", *card.demote, text, document.findings);
        }
        if (!ids.insert(card.id).second) {
            add("doubled-id", "this id was there already");
        }
        if (card.id.empty() || card.text.empty()) {
            add("empty-card", "id or text is empty");
        }
        if (card.include.empty()) {
            add("empty-pattern", "\"include\" is empty, so it matches every problem");
        }
        if (card.example && card.example->source.empty()) {
            add("empty-example", "the example has no source");
        }
    }
    if (!document.json.exact) {
        document.findings.push_back({{1, 1}, "json-layout", "laid out in a way that kbeval does not write"});
    }
}

}  // namespace

CardDocument parse_cards(const std::string& name, std::string_view text) {
    CardDocument document;
    document.json = parse_json(name, text);
    const Json& json = document.json.value;
    if (!json.is_object() || !json.contains("cards") || !json["cards"].is_array()) {
        throw input_error(printable(name) + ": a cards document is an object with a list \"cards\"");
    }
    for (std::size_t i = 0; i < json["cards"].size(); ++i) {
        document.cards.push_back(read_card(name, json["cards"][i], i));
    }
    lint(document, text);
    return document;
}

const std::vector<Card>& cards_of(const std::string& name, const std::string& text) {
    constexpr std::size_t most_documents = 16;
    thread_local std::map<std::string, std::vector<Card>> known;  // by text
    auto found = known.find(text);
    if (found == known.end()) {
        if (known.size() >= most_documents) {
            known.clear();
        }
        found = known.emplace(text, parse_cards(name, text).cards).first;
    }
    return found->second;
}

CardMatch match_card(const Card& card, std::string_view reference_source, std::string_view family) {
    if (compiled(card.include) == nullptr || (card.exclude && compiled(*card.exclude) == nullptr)) {
        return {false, "a pattern is none that RE2 takes"};
    }
    if (!matches(card.include, reference_source)) {
        return {false, "include does not match the reference"};
    }
    for (const std::string& excluded : card.exclude_families) {
        if (excluded == family) {
            return {false, "family " + excluded + " is excluded"};
        }
    }
    if (card.exclude && matches(*card.exclude, reference_source)) {
        return {false, "exclude matches the reference"};
    }
    return {true, "include matches the reference"};
}

bool demotes(const Card& card, std::string_view item) {
    return card.demote && !card.demote->empty() && matches(*card.demote, item);
}

}  // namespace kbeval
