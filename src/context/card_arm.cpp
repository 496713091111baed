#include "context/card_arm.h"

#include "base/error.h"
#include "base/text.h"

namespace kbeval {

namespace {
constexpr std::string_view mark = "+card:";
}

std::optional<CardArm> parse_card_arm(std::string_view arm) {
    const std::size_t at = arm.find(mark);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view named = arm.substr(at + mark.size());
    const std::size_t slash = named.rfind('/');  // a document's name may hold one, a card's id not
    CardArm parsed{std::string(arm.substr(0, at)), "",
                   std::string(named.substr(slash + 1))};  // npos + 1 is 0
    if (slash != std::string_view::npos) {
        parsed.document = named.substr(0, slash);
    }
    if (parsed.base.empty() || parsed.card.empty()) {
        throw input_error("arm '" + printable(arm) + "' names no arm or no card",
                          "an arm with one card is written BASE+card:ID, or BASE+card:DOCUMENT/ID");
    }
    return parsed;
}

std::string to_string(const CardArm& arm) {
    return arm.base + std::string(mark) + (arm.document.empty() ? "" : arm.document + "/") + arm.card;
}

}  // namespace kbeval
