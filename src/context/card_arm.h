#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kbeval {

/// An arm that is another arm with one engine card put in: `BASE+card:DOCUMENT/ID`, or `BASE+card:ID` for the
/// newest document of cards.
struct CardArm {
    std::string base;
    std::string document;  ///< empty: the newest
    std::string card;
};

/// Nothing where the arm is of another kind. Throws an input error where base or card is missing.
std::optional<CardArm> parse_card_arm(std::string_view arm);

std::string to_string(const CardArm& arm);

}  // namespace kbeval
