#pragma once

#include <optional>
#include <string>
#include <vector>

#include "figures/row.h"
#include "stats/bootstrap.h"

namespace kbeval {

/// How one evaluation stands to an earlier one of the same problem, on the same GPU at the same size.
enum class Change {
    broken,  ///< a success before, none now
    fixed,   ///< a success now, none before
    loss,    ///< both timed: the interval of the speedup lies wholly below the earlier one
    gain,    ///< both timed: the interval lies wholly above the earlier one
    status,  ///< no success either time, and another status
    same,    ///< none of these
};

const char* to_string(Change change);

struct Pair {
    const ReportRow* before = nullptr;
    const ReportRow* now = nullptr;
    bool same_source = false;
    Change change = Change::same;
    std::optional<double> ratio;  ///< speedup now over before, where both are clean and timed
};

struct Comparison {
    std::string against;               ///< what the user named
    std::vector<Pair> pairs;           ///< broken first, then by problem
    std::vector<std::string> gone;     ///< problems that only the earlier run judged
    std::vector<std::string> new_;     ///< problems that only this run judged
    std::optional<Interval> ratio;     ///< geometric mean of the pairs' ratios
    std::vector<std::string> differs;  ///< what was not the same: "evaluator", "torch", ...
};

Change change_of(const Verdict& before, const Verdict& now);

/// Pairs the rows that count. The same source of the same problem is paired first, then what is left of a
/// problem; always the newest of each. Rows of another GPU or size are never paired.
Comparison compare(const Rows& before, const Rows& now, std::string against);

/// A stored success of a source that no longer holds: for each problem, source, GPU and size, the newest
/// judged run against the newest earlier success. Only pairs with Change::broken.
std::vector<Pair> regressions(const Rows& rows);

}  // namespace kbeval
