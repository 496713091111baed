#include "context/finding.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace kbeval {

TextPlace place_of(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const std::size_t newline = before.rfind('\n');
    const std::string_view line = newline == std::string_view::npos ? before : before.substr(newline + 1);
    const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    return {static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1,
            static_cast<std::size_t>(std::count_if(line.begin(), line.end(), starts_character)) + 1};
}

std::string findings_text(const std::string& name, const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& finding : findings) {
        text += printable(name) + ":" + std::to_string(finding.place.line) + ":" +
                std::to_string(finding.place.column) + ": [" + finding.rule + "] " +
                printable(finding.message) + "\n";
    }
    return text;
}

void refuse(const std::string& name, std::string_view text, std::size_t offset, const std::string& message) {
    const TextPlace place = place_of(text, offset);
    throw input_error(printable(name) + ":" + std::to_string(place.line) + ":" +
                      std::to_string(place.column) + ": " + printable(message));
}

void require_text(const std::string& name, std::string_view text) {
    if (const auto bad = first_invalid_utf8(text)) {
        refuse(name, text, *bad, "not UTF-8");
    }
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
        refuse(name, text, nul, "a NUL character; this is no text");
    }
}

}  // namespace kbeval
