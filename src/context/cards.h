#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "context/finding.h"
#include "context/json_text.h"

namespace kbeval {

struct CardExample {
    std::string problem;  ///< id
    std::string source;
    double speedup = 0;
};

/// An engine card: a technique with the patterns that say which problems it is for.
struct Card {
    std::string id;
    std::string include;  ///< over the reference source
    std::optional<std::string> exclude;
    std::vector<std::string> exclude_families;
    std::string text;
    std::optional<std::string> demote;  ///< over memory items that contradict the card
    std::optional<CardExample> example;
};

/// A cards document: `{"engine": ..., "cards": [...]}`. What kbeval doesn't read stays in `json`.
struct CardDocument {
    ParsedJson json;
    std::vector<Card> cards;
    std::vector<Finding> findings;  ///< patterns that RE2 can't take, doubled ids, empty texts
};

/// Throws an input error that names the card and the field where something is missing or of a wrong type.
CardDocument parse_cards(const std::string& name, std::string_view text);

/// The cards of an imported document, parsed once for all problems that are asked for in a row.
const std::vector<Card>& cards_of(const std::string& name, const std::string& text);

/// Whether a card is for a problem, and why.
struct CardMatch {
    bool applies = false;
    std::string reason;
};

/// A card whose pattern RE2 can't take applies nowhere.
CardMatch match_card(const Card& card, std::string_view reference_source, std::string_view family);

/// Whether an item of memory contradicts the card.
bool demotes(const Card& card, std::string_view item);

}  // namespace kbeval
