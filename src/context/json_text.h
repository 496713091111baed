#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kbeval {

/// How a JSON document is laid out, in the ways of Python's json.dumps, which wrote most of them.
struct JsonLayout {
    int indent = -1;     ///< spaces a level; -1: all on one line
    bool spaces = true;  ///< ", " and ": " where on one line; else "," and ":"
    bool ascii = false;  ///< other characters as \uXXXX
    bool final_newline = false;
};

struct ParsedJson {
    nlohmann::ordered_json value;
    JsonLayout layout;
    bool exact = false;  ///< whether writing `value` in `layout` gives back the text
};

/// Parses one JSON document and finds its layout. Throws an input error with line and column where it is not
/// JSON, nests more than 64 deep, or gives a key twice.
ParsedJson parse_json(const std::string& name, std::string_view text);

std::string write_json(const nlohmann::ordered_json& value, const JsonLayout& layout);

}  // namespace kbeval
