#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>

namespace kbeval {

namespace {

/// Length of the well-formed UTF-8 sequence at the start of `s`, or 0 (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view s) {
    const auto byte = [&](std::size_t i) {
        return i < s.size() ? static_cast<std::uint8_t>(s[i]) : std::uint8_t{0};
    };
    const auto in = [&](std::size_t i, int low, int high) { return byte(i) >= low && byte(i) <= high; };
    if (in(0, 0x00, 0x7F)) {
        return 1;
    }
    if (in(0, 0xC2, 0xDF)) {
        return in(1, 0x80, 0xBF) ? 2 : 0;
    }
    if (in(0, 0xE0, 0xEF)) {
        const int low = byte(0) == 0xE0 ? 0xA0 : 0x80;
        const int high = byte(0) == 0xED ? 0x9F : 0xBF;
        return in(1, low, high) && in(2, 0x80, 0xBF) ? 3 : 0;
    }
    if (in(0, 0xF0, 0xF4)) {
        const int low = byte(0) == 0xF0 ? 0x90 : 0x80;
        const int high = byte(0) == 0xF4 ? 0x8F : 0xBF;
        return in(1, low, high) && in(2, 0x80, 0xBF) && in(3, 0x80, 0xBF) ? 4 : 0;
    }
    return 0;
}

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(text.substr(i));
        if (length == 0) {
            return i;
        }
        i += length;
    }
    return std::nullopt;
}

std::string to_valid_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(text.substr(i));
        if (length == 0) {
            out += "\xEF\xBF\xBD";
            ++i;
        } else {
            out += text.substr(i, length);
            i += length;
        }
    }
    return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitute = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0U : 1U);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
        }
    }
    return row[b.size()];
}

std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string>& known,
                                 std::size_t count) {
    std::vector<std::pair<std::size_t, std::string>> ranked;
    ranked.reserve(known.size());
    for (const std::string& name : known) {
        ranked.emplace_back(edit_distance(wanted, name), name);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i) {
        names.push_back(ranked[i].second);
    }
    return names;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        lines.push_back(line);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

std::string join(const std::vector<std::string>& items, std::string_view separator) {
    std::string text;
    for (const std::string& item : items) {
        if (!text.empty()) {
            text += separator;
        }
        text += item;
    }
    return text;
}

std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned>(byte));
            out += escaped;
        } else {
            out += c;
        }
    }
    return out;
}

std::string significant(double value, int digits) {
    char buffer[64];
    const double magnitude = std::fabs(value);
    if (value == 0 || !std::isfinite(value) || magnitude < 1e-4 || magnitude >= 1e9) {
        std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    } else {
        const int before = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
        std::snprintf(buffer, sizeof buffer, "%.*f", std::max(0, digits - before), value);
    }
    return buffer;
}

std::string compact(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%g", value);
    return buffer;
}

}  // namespace kbeval
