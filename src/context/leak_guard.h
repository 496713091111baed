#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problem/problem.h"
#include "store/store.h"

namespace kbeval {

/// A source that solves the problem.
struct KnownSolution {
    std::string origin;  ///< "evaluation 1ba307a8", "living store"
    std::string source;
};

/// A text that holds so much of a known solution shows it.
inline constexpr double leak_similarity = 0.8;
/// So does a block that is a smaller piece of one, but nearly all of which is taken from it.
inline constexpr double leak_piece = 1.0 / 3;
inline constexpr double leak_taken = 0.95;

/// Solutions of a problem that the database knows: correct candidates, kernels of living memory and the
/// examples of imported cards.
std::vector<KnownSolution> known_solutions(Store& store, const std::string& problem);

/// Why a context gives away the problem's own solution: it names the problem by id, by a name of several
/// words, or as what a recipe or kernel was measured on, or its code is that of a known solution, however
/// names, comments and layout were changed. Empty where it doesn't.
std::vector<std::string> find_leaks(const Problem& problem, std::string_view context,
                                    const std::vector<KnownSolution>& solutions);

}  // namespace kbeval
