#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "figures/comparison.h"
#include "figures/figures.h"
#include "problem/problem.h"
#include "store/store.h"

namespace kbeval {

/// What the rows of a group were made with.
struct Provenance {
    std::string first;  ///< time of the oldest and of the newest evaluation
    std::string last;
    /// Per name of a version or setting: each value with the number of evaluations that had it.
    std::map<std::string, std::map<std::string, std::size_t>> versions;
    std::map<std::string, std::map<std::string, std::size_t>>
        settings;  ///< tolerance, seeds, device, sandbox, ...
};

/// Evaluations that may stand in one figure: one run, evaluator, GPU and size.
struct Group {
    std::string run;  ///< as the user named it; empty for a whole database
    std::string evaluator;
    std::string gpu;
    std::string size;
    Rows rows;  ///< newest first
    Figures figures;
    std::vector<Slice> slices;
    std::vector<LabelFigures> labels;
    Provenance provenance;
};

/// A run that was read: its name and its rows, which the report keeps.
struct RunRows {
    std::string name;
    std::string database;
    std::deque<ReportRow> rows;  ///< newest first; a deque, so that addresses stay
};

struct Report {
    std::string created;
    std::deque<RunRows> runs;
    std::optional<RunRows> earlier;
    std::vector<Group> groups;          ///< that with the newest evaluation first
    std::vector<Group> earlier_groups;  ///< likewise, of `earlier`
    std::optional<Comparison> comparison;
    std::vector<Pair> regressions;  ///< see kbeval::regressions; against `earlier` where there is one

    [[nodiscard]] Rows rows() const;
};

/// Which evaluations to read; empty fields match all.
struct ReportFilter {
    std::string evaluator;
    std::string gpu;
    std::string size;
    std::optional<int> level;
    std::string family;
};

/// What the catalogue says of problems, by id.
using ProblemNames = std::map<std::string, Problem>;

ProblemNames names_of(const Catalogue& catalogue);

/// The same for the database's views.
std::vector<ProblemRow> problem_rows(const ProblemNames& problems);

/// Reads the evaluations of a label, or all where `label` is nothing, and adds name, level and family.
RunRows read_run(Store& store, std::string name, const std::optional<std::string>& label,
                 const ReportFilter& filter, const ProblemNames& problems);

/// Groups, figures and comparison. With `mix`, evaluators, GPUs and sizes are put together in one group a
/// run.
Report build_report(std::deque<RunRows> runs, std::optional<RunRows> earlier, bool mix);

}  // namespace kbeval
