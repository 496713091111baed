#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kbeval {

/// Largest source that is looked at, in bytes; a larger one is forbidden by the static check.
inline constexpr std::size_t max_candidate_bytes = 1 << 20;

/// A candidate's source as it was given.
struct CandidateSource {
    std::string text;
    std::string digest;  ///< first 16 hex digits of the SHA-256 of `text`
    std::string origin;  ///< the file's path, or "-" for standard input
};

/// Reads a candidate from a file, or from standard input for "-". A missing file, one over 16 MiB and one
/// that is not UTF-8 (the offset is named) throw input errors.
CandidateSource read_candidate(const std::string& path);

/// Same, of a text that is there already.
CandidateSource candidate_from_text(std::string text, std::string origin);

/// The last fenced block of `reply` that is marked as Python (```python, ```py, any letter case), without its
/// fences. A block that is never closed counts to the end of the reply. Nothing where there is none.
std::optional<std::string> extract_code(std::string_view reply);

/// The lines of `reply` that are in none of its Python blocks. What other blocks hold is kept.
std::string outside_code(std::string_view reply);

}  // namespace kbeval
