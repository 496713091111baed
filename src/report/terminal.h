#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbeval {

/// `text` for a terminal: malformed UTF-8 replaced, and every character that a terminal may obey instead of
/// showing (C0 and C1 controls, DEL, changes of writing direction, line separators) written as an escape.
/// Newlines and tabs stay.
std::string terminal_text(std::string_view text);

/// Likewise, with newlines and tabs escaped too.
std::string terminal_line(std::string_view text);

/// Columns that well-formed `text` takes, at one for each character.
std::size_t text_width(std::string_view text);

/// The beginning of `text` that fits in `columns`, ending in an ellipsis where something was cut.
std::string fit(std::string_view text, std::size_t columns);

/// Whether to colour what is written to a descriptor: a terminal that is not dumb, and NO_COLOR is not set.
bool colour_wanted(int descriptor);

}  // namespace kbeval
