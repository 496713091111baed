#include "agent/action.h"

#include <cctype>

#include "base/text.h"
#include "candidate/source.h"

namespace kbeval {

namespace {

/// Letters, digits and the colon of a line in upper case, or nothing where the line holds another character
/// that Markdown does not put around a line.
std::optional<std::string> bare_line(std::string_view line) {
    constexpr std::string_view decoration = " \t*_`#>-.";
    std::string bare;
    for (const char c : line) {
        if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == ':') {
            bare += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        } else if (decoration.find(c) == std::string_view::npos) {
            return std::nullopt;
        }
    }
    return bare;
}

}  // namespace

std::string_view to_string(ReplyAction action) {
    switch (action) {
        case ReplyAction::check:
            return "CHECK";
        case ReplyAction::submit:
            return "SUBMIT";
        case ReplyAction::none:
            break;
    }
    return "none";
}

std::optional<ReplyAction> action_from_string(std::string_view name) {
    for (const ReplyAction action : {ReplyAction::none, ReplyAction::check, ReplyAction::submit}) {
        if (name == to_string(action)) {
            return action;
        }
    }
    return std::nullopt;
}

ParsedReply parse_reply(std::string_view reply) {
    bool check = false;
    bool submit = false;
    const std::string prose = outside_code(reply);
    for (const std::string_view line : split_lines(prose)) {
        if (const auto bare = bare_line(line)) {
            check = check || *bare == "ACTION:CHECK";
            submit = submit || *bare == "ACTION:SUBMIT";
        }
    }
    ParsedReply parsed{ReplyAction::none, extract_code(reply), {}};
    if (check && submit) {
        parsed.problem = "the reply says both `ACTION: CHECK` and `ACTION: SUBMIT`: say one";
    } else if (!check && !submit) {
        parsed.problem =
            "the reply has no line `ACTION: CHECK` or `ACTION: SUBMIT` (on a line of its own, outside of the "
            "```python block)";
    } else {
        parsed.action = check ? ReplyAction::check : ReplyAction::submit;
    }
    return parsed;
}

}  // namespace kbeval
