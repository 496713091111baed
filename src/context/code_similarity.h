#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kbeval {

/// Runs of consecutive tokens of a source as sorted hashes (shingles, Broder 1997), once as written and once
/// with names taken for one another, so that renaming hides nothing. Comments, docstrings and the layout
/// don't count.
struct CodeShingles {
    std::vector<std::uint64_t> literal;  ///< runs of 5 tokens as written
    std::vector<std::uint64_t> renamed;  ///< runs of 16 tokens; every name that is no attribute is the same
};

CodeShingles code_shingles(std::string_view source);

/// How much of one source stands in another, 0 to 1: the larger of the shares of both kinds of runs.
/// 0 for sources too short to tell.
double share_within(const CodeShingles& part, const CodeShingles& whole);

}  // namespace kbeval
