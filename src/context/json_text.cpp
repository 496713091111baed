#include "context/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "context/finding.h"

namespace kbeval {

namespace {

using Json = nlohmann::ordered_json;
constexpr int deepest = 64;

/// Looks at a document while it is parsed: depth, and keys that come twice.
class Watch {
  public:
    explicit Watch(const std::string& name) : name_(name) {}

    bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
        if (depth > deepest) {
            throw input_error(printable(name_) + ": nests more than " + std::to_string(deepest) + " deep");
        }
        if (event == Json::parse_event_t::object_start) {
            keys_.resize(static_cast<std::size_t>(depth) + 1);
            keys_[static_cast<std::size_t>(depth)].clear();
        } else if (event == Json::parse_event_t::key) {
            // The event's depth is that of the object's members.
            const auto level = static_cast<std::size_t>(std::max(0, depth - 1));
            const auto& key = parsed.get_ref<const std::string&>();
            if (!keys_[level].insert(key).second) {
                throw input_error(printable(name_) + ": the key \"" + printable(key.substr(0, 80)) +
                                  "\" is given twice in one object");
            }
        }
        return true;
    }

  private:
    const std::string& name_;
    std::vector<std::set<std::string>> keys_;
};

void append_escape(std::string& out, unsigned code) {
    std::array<char, 8> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "\\u%04x", code);
    out += buffer.data();
}

/// The code point at `at` of well-formed UTF-8; moves `at` behind it.
unsigned take_code_point(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) {
        return static_cast<unsigned>(static_cast<unsigned char>(text[i]));
    };
    const unsigned first = byte(at);
    const std::size_t length = first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
    unsigned code = first & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        code = (code << 6U) | (byte(at + i) & 0x3FU);
    }
    at += length;
    return code;
}

void append_string(std::string& out, std::string_view text, bool ascii) {
    out += '"';
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        constexpr std::string_view plain = "\"\\\n\r\t\f\b";
        constexpr std::string_view escaped = "\"\\nrtfb";
        if (const std::size_t which = plain.find(c); which != std::string_view::npos) {
            out += '\\';
            out += escaped[which];
            ++at;
        } else if (static_cast<unsigned char>(c) < 0x20U || (ascii && c == 0x7F)) {
            append_escape(out, static_cast<unsigned char>(c));
            ++at;
        } else if (ascii && static_cast<unsigned char>(c) >= 0x80U) {
            const unsigned code = take_code_point(text, at);
            if (code >= 0x10000U) {
                append_escape(out, 0xD800U + ((code - 0x10000U) >> 10U));
                append_escape(out, 0xDC00U + ((code - 0x10000U) & 0x3FFU));
            } else {
                append_escape(out, code);
            }
        } else {
            out += c;
            ++at;
        }
    }
    out += '"';
}

class Writer {
  public:
    Writer(std::string& out, const JsonLayout& layout) : out_(out), layout_(layout) {}

    void write(const Json& value, int depth) {
        if (value.is_object()) {
            members(value, depth, '{', '}', [&](auto item) {
                append_string(out_, item.key(), layout_.ascii);
                out_ += layout_.spaces || layout_.indent >= 0 ? ": " : ":";
            });
        } else if (value.is_array()) {
            members(value, depth, '[', ']', [](auto) {});
        } else if (value.is_string()) {
            append_string(out_, value.get_ref<const std::string&>(), layout_.ascii);
        } else {
            out_ += value.dump();
        }
    }

  private:
    template <typename Before>
    void members(const Json& value, int depth, char open, char close, Before before) {
        out_ += open;
        bool first = true;
        for (auto item = value.begin(); item != value.end(); ++item) {
            if (!first) {
                out_ += layout_.spaces && layout_.indent < 0 ? ", " : ",";
            }
            first = false;
            new_line(depth + 1);
            before(item);
            write(*item, depth + 1);
        }
        if (!first) {
            new_line(depth);
        }
        out_ += close;
    }

    void new_line(int depth) {
        if (layout_.indent >= 0) {
            out_ += '\n';
            out_.append(static_cast<std::size_t>(layout_.indent) * static_cast<std::size_t>(depth), ' ');
        }
    }

    std::string& out_;
    const JsonLayout& layout_;
};

/// From the first line break and the first separators.
JsonLayout layout_of(std::string_view text) {
    JsonLayout layout;
    layout.final_newline = text.ends_with('\n');
    if (text.size() > 1 && text[1] == '\n') {
        const std::size_t end = text.find_first_not_of(' ', 2);
        layout.indent =
            end == std::string_view::npos ? 0 : static_cast<int>(std::min<std::size_t>(end - 2, 16));
    }
    layout.spaces = text.find("\":\"") == std::string_view::npos &&
                    text.find("\":{") == std::string_view::npos &&
                    text.find("\":[") == std::string_view::npos;
    layout.ascii =
        std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80U; }) &&
        text.find("\\u") != std::string_view::npos;
    return layout;
}

}  // namespace

std::string write_json(const Json& value, const JsonLayout& layout) {
    std::string out;
    Writer(out, layout).write(value, 0);
    if (layout.final_newline) {
        out += '\n';
    }
    return out;
}

ParsedJson parse_json(const std::string& name, std::string_view text) {
    require_text(name, text);
    ParsedJson parsed;
    try {
        Watch watch(name);
        parsed.value = Json::parse(text, [&watch](int depth, Json::parse_event_t event, const Json& value) {
            return watch(depth, event, value);
        });
    } catch (const Json::parse_error& error) {
        // Its byte counts from 1 and may point behind the end.
        const std::size_t offset = std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0);
        const bool at_end = error.byte > text.size();
        refuse(name, text, offset, at_end ? "the JSON document ends too early" : "not valid JSON here");
    }
    parsed.layout = layout_of(text);
    parsed.exact = write_json(parsed.value, parsed.layout) == text;
    if (!parsed.exact) {
        // Strings may hold what looks like a layout; the other choices are cheap to try.
        for (const bool spaces : {true, false}) {
            for (const bool ascii : {true, false}) {
                JsonLayout other = parsed.layout;
                other.spaces = spaces;
                other.ascii = ascii;
                if (!parsed.exact && write_json(parsed.value, other) == text) {
                    parsed.layout = other;
                    parsed.exact = true;
                }
            }
        }
    }
    return parsed;
}

}  // namespace kbeval
