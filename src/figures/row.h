#pragma once

#include <string>
#include <vector>

#include "verdict/verdict.h"

namespace kbeval {

/// One evaluation of a report with what the catalogue says of its problem.
struct ReportRow {
    Verdict verdict;     ///< without samples
    std::string name;    ///< of the problem; empty where the catalogue does not know it
    std::string family;  ///< `unknown` where the catalogue does not know the problem
    int level = 0;       ///< 0 where unknown
};

using Rows = std::vector<const ReportRow*>;

/// Counts in figures: a `run` that was judged. Checks are not timed; an infra_error is nobody's fault.
bool counts(const Verdict& verdict);

/// Correct and without a disqualifying flag.
bool is_clean(const Verdict& verdict);

}  // namespace kbeval
