#pragma once

#include <cstddef>
#include <string_view>

namespace kbeval {

/// One line of a text by its offsets. `end` is that of the line feed (or of the text), `next` that of the
/// following line.
struct Line {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t next = 0;
};

inline Line line_at(std::string_view text, std::size_t begin) {
    const std::size_t newline = text.find('\n', begin);
    return newline == std::string_view::npos ? Line{begin, text.size(), text.size()}
                                             : Line{begin, newline, newline + 1};
}

/// A line without its end; a carriage return before the line feed belongs to the end.
inline std::string_view line_text(std::string_view text, const Line& line) {
    std::string_view view = text.substr(line.begin, line.end - line.begin);
    if (!view.empty() && view.back() == '\r') {
        view.remove_suffix(1);
    }
    return view;
}

/// Number of backquotes or tildes with which a line opens or closes a fenced block (up to 3 spaces before
/// them); 0 where it does neither.
inline std::size_t fence_length(std::string_view line) {
    std::size_t spaces = 0;
    while (spaces < line.size() && spaces < 3 && line[spaces] == ' ') {
        ++spaces;
    }
    line.remove_prefix(spaces);
    if (line.empty() || (line[0] != '`' && line[0] != '~')) {
        return 0;
    }
    std::size_t length = line.find_first_not_of(line[0]);
    length = length == std::string_view::npos ? line.size() : length;
    return length >= 3 ? length : 0;
}

/// Whether a line closes a block that `opening` opened.
inline bool closes_fence(std::string_view line, std::string_view opening) {
    const std::size_t length = fence_length(line);
    if (length == 0 || length < fence_length(opening)) {
        return false;
    }
    const std::size_t mark = line.find_first_not_of(' ');
    return line[mark] == opening[opening.find_first_not_of(' ')] &&
           line.find_first_not_of(' ', mark + length) == std::string_view::npos;
}

}  // namespace kbeval
