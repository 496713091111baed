#include "report/terminal.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "base/file.h"
#include "base/text.h"

namespace kbeval {

namespace {

constexpr bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The code point of a well-formed sequence.
std::uint32_t decode(std::string_view sequence) {
    const auto first = static_cast<unsigned char>(sequence[0]);
    if (sequence.size() == 1) {
        return first;
    }
    std::uint32_t point = first & (0x7FU >> sequence.size());
    for (const char c : sequence.substr(1)) {
        point = (point << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
    }
    return point;
}

std::size_t sequence_size(std::string_view text) {
    std::size_t size = 1;
    while (size < text.size() && is_continuation(text[size])) {
        ++size;
    }
    return size;
}

/// Whether a terminal may obey the character, or let it hide what follows.
bool is_obeyed(std::uint32_t point) {
    return point < 0x20 || (point >= 0x7F && point <= 0x9F) || point == 0x200E || point == 0x200F ||
           (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

std::string escaped(std::uint32_t point) {
    char text[16];
    std::snprintf(text, sizeof text, point < 0x80 ? "\\x%02x" : "\\u%04x", static_cast<unsigned>(point));
    return text;
}

template <typename Shown>
std::string escape(std::string_view raw, Shown shown) {
    const std::string valid = to_valid_utf8(raw);
    std::string out;
    out.reserve(valid.size());
    for (std::string_view rest = valid; !rest.empty();) {
        const std::string_view sequence = rest.substr(0, sequence_size(rest));
        const std::uint32_t point = decode(sequence);
        if (is_obeyed(point) && !shown(point)) {
            out += escaped(point);
        } else {
            out += sequence;
        }
        rest.remove_prefix(sequence.size());
    }
    return out;
}

}  // namespace

std::string terminal_text(std::string_view text) {
    return escape(text, [](std::uint32_t point) { return point == '\n' || point == '\t'; });
}

std::string terminal_line(std::string_view text) {
    return escape(text, [](std::uint32_t) { return false; });
}

std::size_t text_width(std::string_view text) {
    std::size_t columns = 0;
    for (const char c : text) {
        columns += is_continuation(c) ? 0U : 1U;
    }
    return columns;
}

std::string fit(std::string_view text, std::size_t columns) {
    if (text_width(text) <= columns) {
        return std::string(text);
    }
    if (columns == 0) {
        return "";
    }
    std::size_t end = 0;
    for (std::size_t kept = 0; kept + 1 < columns; ++kept) {
        end += sequence_size(text.substr(end));
    }
    return std::string(text.substr(0, end)) + "…";
}

bool colour_wanted(int descriptor) {
    return ::isatty(descriptor) == 1 && !environment("NO_COLOR") &&
           environment("TERM").value_or("dumb") != "dumb";
}

}  // namespace kbeval
