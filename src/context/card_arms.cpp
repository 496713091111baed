#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "base/text.h"
#include "context/arm_work.h"
#include "context/cards.h"

namespace kbeval {

namespace {

/// Why an item of memory drops; empty: it doesn't.
std::string demoted_by(const Card& card, const LivingItem& item) {
    // Rules of the environment hold whatever a technique says.
    const bool technique = item.kind != LivingKind::lesson && item.kind != LivingKind::kernel;
    return technique && demotes(card, item.text) ? "contradicts card " + card.id : "";
}

std::string card_text(ArmWork& work, const Card& card) {
    if (!card.example) {
        return card.text;
    }
    if (card.example->problem == work.problem.problem.id) {
        work.built.choices.push_back({"example", card.id, "out", "it is of the problem itself"});
        return card.text;
    }
    work.built.choices.push_back({"example", card.id, "in", "of " + card.example->problem});
    std::string source = card.example->source;
    while (source.ends_with('\n')) {
        source.pop_back();
    }
    char speedup[32];
    std::snprintf(speedup, sizeof speedup, "%.2f", card.example->speedup);
    return card.text + "\n\n### A verified kernel that uses technique " + card.id + " (" +
           card.example->problem + ", " + speedup + "x): adapt what applies\n```python\n" + source + "\n```";
}

}  // namespace

void build_cards(ArmWork& work) {
    const DocumentRow document = newest_document(work, DocumentFormat::cards);
    std::vector<Card> applying;
    std::string sections;
    for (const Card& card : cards_of(document.name, document.text)) {
        const CardMatch match = match_card(card, work.problem.source, work.problem.problem.family);
        work.built.choices.push_back({"card", card.id, match.applies ? "in" : "out", match.reason});
        if (match.applies) {
            applying.push_back(card);
            sections += (sections.empty() ? "" : "\n\n") + card_text(work, card);
        }
    }
    build_living(
        work,
        [&applying](const LivingItem& item) {
            for (const Card& card : applying) {
                if (std::string reason = demoted_by(card, item); !reason.empty()) {
                    return reason;
                }
            }
            return std::string();
        },
        sections);
    work.built.origin = document.name + " over the living store";
}

void build_with_card(ArmWork& work, const CardArm& arm) {
    if (arm.base == "cards") {
        throw input_error("arm " + printable(work.request.arm) + ": the arm cards holds every card already",
                          "put the card into another arm, such as living");
    }
    const DocumentRow document = arm.document.empty() ? newest_document(work, DocumentFormat::cards)
                                                      : find_document(work.store, arm.document);
    const std::vector<Card>& cards = cards_of(document.name, document.text);
    const auto card = std::ranges::find(cards, arm.card, &Card::id);
    if (card == cards.end()) {
        std::vector<std::string> ids;
        std::ranges::transform(cards, std::back_inserter(ids), &Card::id);
        throw input_error(printable(document.name) + " has no card '" + printable(arm.card) + "'",
                          "its cards are " + join(ids, ", "));
    }
    ContextRequest base = work.request;
    base.arm = arm.base;
    base.allow_leak = true;  // the whole text is guarded
    const CardMatch match = match_card(*card, work.problem.source, work.problem.problem.family);
    const bool living = arm.base == "living" || arm.base.starts_with("living:");
    BuiltContext made;
    ArmWork below{work.store, work.problem, base, made};
    if (match.applies && living) {
        build_living(
            below, [&card](const LivingItem& item) { return demoted_by(*card, item); },
            card_text(work, *card));
    } else {
        build_arm(below);
    }
    const std::string origin = made.origin;
    work.built.text = std::move(made.text);
    work.built.notes = std::move(made.notes);
    work.built.choices.push_back({"card", card->id, match.applies ? "in" : "out", match.reason});
    work.built.choices.insert(work.built.choices.end(), made.choices.begin(), made.choices.end());
    if (match.applies && !living) {
        work.built.text += (work.built.text.empty()           ? ""
                            : work.built.text.ends_with('\n') ? "\n"
                                                              : "\n\n") +
                           card_text(work, *card);
    }
    work.built.origin = document.name + " over " + origin;
}

}  // namespace kbeval
