#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "store/store.h"

namespace kbeval {

/// Which context is wanted. Arms: bare, ace, mem0, living, cards, and any that an imported context set holds
/// (living:rC). `reader` is the name of the model that reads it; empty where it makes no difference.
struct ContextRequest {
    std::string problem;  ///< as Catalogue::find takes it
    std::string arm;
    std::string reader;
    std::string from;         ///< name of the document to take it from; empty: the newest that has it
    bool allow_leak = false;  ///< hand out a context that shows the problem its own solution, and record it
    std::optional<std::string> given{};  ///< the text itself, from outside of the database
};

/// Why one card or item is in, demoted or out.
struct ContextChoice {
    std::string kind;      ///< lesson, pitfall, recipe, kernel, card, example, bullet, memory, text
    std::string name;      ///< card id, bullet id, or what the item is about
    std::string decision;  ///< in, demoted, out
    std::string reason;
};

/// The text an agent is given, named by its digest (first 16 hex digits of the SHA-256 of the UTF-8 text).
struct BuiltContext {
    std::string problem;  ///< L2_020
    std::string arm;
    std::string reader;
    std::string text;
    std::string digest;
    std::string origin;  ///< document it was taken from, or "built from STORE"
    std::vector<ContextChoice> choices;
    std::vector<std::string>
        notes;  ///< what the reader of a report should know (known only in altered form, ...)
    std::vector<std::string> leaks;  ///< what the leak guard found; not empty only with `allow_leak`
};

/// Builds or looks up the context; writes nothing. Throws an input error for an unknown problem, arm or
/// reader, and where the leak guard refuses.
BuiltContext build_context(Store& store, const Catalogue& catalogue, const ContextRequest& request);

/// Stores the text once by its digest, and, where a leak was allowed, that it was. Needs a writable store.
void record_context(Store& store, const BuiltContext& context);

/// A whole prompt: instruction (level, id, name, family, reference source), context, rules of the
/// environment.
struct Prompt {
    std::string instruction;
    std::string rules;
    std::string text;    ///< all of it, in the order in which the agent reads it
    std::string digest;  ///< of `text`
    BuiltContext context;
};

/// `turns`: replies that the agent has, at least 1.
Prompt build_prompt(Store& store, const Catalogue& catalogue, const ContextRequest& request, int turns);

/// The instruction alone, in the form of problem records; ends with the closing fence and a newline.
std::string instruction_text(const LoadedProblem& problem);

/// The rules alone: how to answer, what CHECK and SUBMIT do, what the static check forbids.
std::string environment_rules(int turns);

}  // namespace kbeval
