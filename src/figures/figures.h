#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "figures/fast_p.h"
#include "figures/row.h"
#include "stats/bootstrap.h"

namespace kbeval {

/// What a set of comparable evaluations comes to. Definitions: docs/reports.md.
struct Figures {
    std::size_t evaluations = 0;  ///< all: runs, checks, infrastructure failures
    std::size_t checks = 0;
    std::size_t infra_errors = 0;
    std::size_t judged = 0;    ///< runs that count in every figure below
    std::size_t problems = 0;  ///< of those
    std::size_t correct = 0;
    std::size_t successes = 0;
    std::size_t flagged = 0;
    std::size_t problems_won = 0;              ///< problems with a success
    std::map<Status, std::size_t> statuses;    ///< of judged runs; only those that occur
    std::map<std::string, std::size_t> flags;  ///< judged runs that carry each
    Interval correct_rate;                     ///< of problems' shares, see FastP
    Interval success_rate;
    double mean_score = 0;  ///< each problem's mean score, averaged
    /// Geometric mean over problems of each problem's geometric mean, of clean timed runs.
    std::optional<Interval> speedup;
    std::optional<Interval> speedup_vs_compile;
    std::vector<FastP> fast_p;  ///< at standard_p
    std::vector<FastP> curve;   ///< at curve_p()
};

Figures figures_of(const Rows& rows);

/// A part of a group: one level, one family, or both.
struct Slice {
    std::optional<int> level;
    std::optional<std::string> family;
    Figures figures;
};

/// The evaluations of a group that carry one label.
struct LabelFigures {
    std::string label;
    std::string last;  ///< time of the newest
    Figures figures;
};

/// Each label that occurs, that with the newest evaluation first.
std::vector<LabelFigures> labels_of(const Rows& rows);

/// Each level, each family, and each pair of both that occurs, in this order.
std::vector<Slice> slices_of(const Rows& rows);

}  // namespace kbeval
