#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kbeval {

/// A place in a text, both from 1; columns count characters, not bytes.
struct TextPlace {
    std::size_t line = 1;
    std::size_t column = 1;
};

TextPlace place_of(std::string_view text, std::size_t offset);

/// Something wrong with a document that can be used all the same.
struct Finding {
    TextPlace place;
    std::string rule;  ///< doubled-id, section-twice, open-fence, ...
    std::string message;
};

/// More than so many are not listed: each costs a walk through the text.
inline constexpr std::size_t most_findings = 200;

/// "FILE:12:3: [doubled-id] message", one a line.
std::string findings_text(const std::string& name, const std::vector<Finding>& findings);

/// Throws the input error "NAME:LINE:COLUMN: message".
[[noreturn]] void refuse(const std::string& name, std::string_view text, std::size_t offset,
                         const std::string& message);

/// Refuses a text that is not UTF-8 or holds a NUL.
void require_text(const std::string& name, std::string_view text);

}  // namespace kbeval
