#include "candidate/source.h"

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"

namespace kbeval {

namespace {

constexpr std::size_t max_input_bytes = 16 << 20;

/// A line that opens or closes a fence: up to three spaces and at least three backticks (CommonMark
/// 0.31, 4.5).
struct Fence {
    std::size_t ticks = 0;
    std::string info;  // lower case, trimmed
};

std::optional<Fence> parse_fence(std::string_view line) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (indent > 3) {
        return std::nullopt;
    }
    line.remove_prefix(indent);
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (ticks < 3) {
        return std::nullopt;
    }
    Fence fence{ticks, {}};
    for (const char c : line.substr(ticks)) {
        fence.info += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    fence.info.erase(0, fence.info.find_first_not_of(" \t"));
    fence.info.erase(fence.info.find_last_not_of(" \t") + 1);
    return fence;
}

bool is_python(const std::string& info) {
    const std::string word = info.substr(0, info.find_first_of(" \t{,"));
    return word == "python" || word == "py" || word == "python3";
}

/// Where a line of a reply is: a fence of a Python block, inside of one, or anywhere else.
enum class Place { prose, opening, code, closing };

template <typename Function>
void each_line(std::string_view reply, Function&& visit) {
    std::size_t open_ticks = 0;  // 0: outside of any block
    bool python = false;
    for (const std::string_view line : split_lines(reply)) {
        const auto fence = parse_fence(line);
        if (open_ticks == 0) {
            python = fence && is_python(fence->info);
            open_ticks = fence ? fence->ticks : 0;
            visit(line, python ? Place::opening : Place::prose);
        } else if (fence && fence->ticks >= open_ticks && fence->info.empty()) {
            open_ticks = 0;
            visit(line, python ? Place::closing : Place::prose);
        } else {
            visit(line, python ? Place::code : Place::prose);
        }
    }
}

}  // namespace

CandidateSource candidate_from_text(std::string text, std::string origin) {
    CandidateSource source{std::move(text), {}, std::move(origin)};
    source.digest = short_digest(source.text);
    return source;
}

CandidateSource read_candidate(const std::string& path) {
    std::string text = path == "-" ? read_standard_input(max_input_bytes) : read_file(path, max_input_bytes);
    const std::string name = path == "-" ? "standard input" : path;
    if (const auto bad = first_invalid_utf8(text)) {
        throw input_error(name + ": is not UTF-8: malformed byte at offset " + std::to_string(*bad));
    }
    return candidate_from_text(std::move(text), path);
}

std::optional<std::string> extract_code(std::string_view reply) {
    std::optional<std::string> code;
    std::string block;
    bool inside = false;
    each_line(reply, [&](std::string_view line, Place place) {
        if (place == Place::opening) {
            inside = true;
            block.clear();
        } else if (place == Place::code) {
            block.append(line).append("\n");
        } else if (place == Place::closing) {
            inside = false;
            code = block;
        }
    });
    if (inside) {
        code = block;
    }
    return code;
}

std::string outside_code(std::string_view reply) {
    std::string text;
    each_line(reply, [&](std::string_view line, Place place) {
        if (place == Place::prose) {
            text.append(line).append("\n");
        }
    });
    return text;
}

}  // namespace kbeval
