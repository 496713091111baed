#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "context/card_arm.h"
#include "context/documents.h"
#include "context/living_store.h"
#include "context/prompt.h"

namespace kbeval {

/// One context in the making: what is asked for, and what is known of the answer so far. The functions below
/// each fill in the text, the origin and the choices of one kind of arm.
struct ArmWork {
    Store& store;
    const LoadedProblem& problem;
    const ContextRequest& request;
    BuiltContext& built;
};

/// The text of an imported set or record for just this arm, problem and reader; false where there is none.
bool take_imported(ArmWork& work);

/// `ace`: the newest ACE playbook, whole.
void build_playbook(ArmWork& work);

/// `mem0`: the items that share most words with the problem's name and family, none that names the problem
/// itself.
void build_memories(ArmWork& work);

/// `living`, `living:X`: from the living store. `inserted` stands after the lessons.
void build_living(ArmWork& work, const Demotion& demotion = {}, const std::string& inserted = {});

/// `cards`: the living context with every card that applies.
void build_cards(ArmWork& work);

/// Another arm with one card: over the living store as `cards` does it, else behind the other's text.
void build_with_card(ArmWork& work, const CardArm& arm);

/// Any arm, without the leak guard.
void build_arm(ArmWork& work);

/// The newest document of a format, or the one that the request names.
DocumentRow newest_document(ArmWork& work, DocumentFormat format);

/// Arms that can be asked for in this database.
std::vector<std::string> known_arms(Store& store);

/// Refuses a request whose reader is none of those (the keys of `known`) that the arm depends on.
[[noreturn]] void refuse_reader(const ContextRequest& request,
                                const std::map<std::string, std::string>& known);

}  // namespace kbeval
