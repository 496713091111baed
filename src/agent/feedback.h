#pragma once

#include <string>

#include "agent/action.h"
#include "verdict/verdict.h"

namespace kbeval {

/// What an agent is told after a turn whose code was judged: the status, why, and what it measured. Says
/// nothing of expected outputs, of seeds and of how the judge works: a verdict's message is for people, this
/// text is for agents. `turns_left` counts those after this one.
std::string feedback_text(ReplyAction action, const Verdict& verdict, int turns_left);

/// Likewise after a reply without an action; `problem` says what was wrong (ParsedReply::problem).
std::string no_action_feedback(const std::string& problem, int turns_left);

}  // namespace kbeval
