#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problem/problem.h"

namespace kbeval {

/// A source that solves the problem.
struct KnownSolution {
    std::string origin;  ///< "evaluation 1ba307a8", "living store"
    std::string source;
};

/// Code blocks at least so similar to a known solution count as it.
inline constexpr double leak_similarity = 0.8;

/// Shared over all runs of five tokens of two sources, comments and blanks aside, 0 to 1 (shingles, Broder
/// 1997).
double source_similarity(std::string_view a, std::string_view b);

/// Why a context gives away the problem's own solution: it names the problem by id, by a name of several
/// words, or as what a recipe or kernel was measured on, or a fenced block is like a known solution. Empty
/// where it doesn't.
std::vector<std::string> find_leaks(const Problem& problem, std::string_view context,
                                    const std::vector<KnownSolution>& solutions);

}  // namespace kbeval
