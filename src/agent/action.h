#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kbeval {

/// What a reply asks the environment to do.
enum class ReplyAction { none, check, submit };

/// "none", "CHECK", "SUBMIT": as records and transcripts name them.
std::string_view to_string(ReplyAction action);
std::optional<ReplyAction> action_from_string(std::string_view name);

struct ParsedReply {
    ReplyAction action = ReplyAction::none;
    std::optional<std::string> code;  ///< the last ```python block
    std::string problem;              ///< why `action` is none; empty otherwise
};

/// Reads a reply. The action is a line outside of the Python blocks that holds nothing but `ACTION: CHECK` or
/// `ACTION: SUBMIT`, in any letter case; Markdown around it (`**ACTION: CHECK**`, `> `, `## `) and a full
/// stop do no harm. Lines that contradict each other are no action.
ParsedReply parse_reply(std::string_view reply);

}  // namespace kbeval
