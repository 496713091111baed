#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbeval {

/// Byte offset of the first byte that is not part of well-formed UTF-8 (RFC 3629), or nothing.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// `text` with every malformed byte replaced by U+FFFD.
std::string to_valid_utf8(std::string_view text);

/// Levenshtein distance, letter case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The `count` members of `known` nearest to `wanted`, nearest first.
std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string>& known,
                                 std::size_t count);

/// `text` with every `from` replaced by `to`.
std::string replace_all(std::string text, std::string_view from, std::string_view to);

/// Lines of `text` without their line ends.
std::vector<std::string_view> split_lines(std::string_view text);

std::string join(const std::vector<std::string>& items, std::string_view separator);

/// `text` with control characters other than newline and tab made visible (`\x1b`), for terminals.
std::string printable(std::string_view text);

/// `value` with `digits` significant digits, without an exponent where it is between 1e-4 and 1e9.
std::string significant(double value, int digits);

/// `value` as short as it can be written with up to 6 digits: 0.0001, 240, 1e-05.
std::string compact(double value);

}  // namespace kbeval
