#include "figures/figures.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "stats/rates.h"

namespace kbeval {

namespace {

using ByProblem = std::map<std::string_view, Rows>;

ByProblem judged_by_problem(const Rows& rows) {
    ByProblem problems;
    for (const ReportRow* row : rows) {
        if (counts(row->verdict)) {
            problems[row->verdict.problem].push_back(row);
        }
    }
    return problems;
}

/// Mean over problems of the mean of `value` over a problem's rows.
template <typename Value>
double mean_of_means(const ByProblem& problems, Value value) {
    double total = 0;
    for (const auto& [problem, rows] : problems) {
        double sum = 0;
        for (const ReportRow* row : rows) {
            sum += value(row->verdict);
        }
        total += sum / static_cast<double>(rows.size());
    }
    return problems.empty() ? 0 : total / static_cast<double>(problems.size());
}

std::optional<Interval> geometric(const ByProblem& problems, std::optional<double> Verdict::*ratio) {
    std::vector<double> means;
    for (const auto& [problem, rows] : problems) {
        std::vector<double> values;
        for (const ReportRow* row : rows) {
            const std::optional<double>& value = row->verdict.*ratio;
            if (is_clean(row->verdict) && value && *value > 0 && std::isfinite(*value)) {
                values.push_back(*value);
            }
        }
        if (const auto inner = geometric_mean(values)) {
            means.push_back(inner->estimate);
        }
    }
    return geometric_mean(means);
}

void count_row(Figures& f, const Verdict& v) {
    ++f.evaluations;
    f.checks += v.kind == "check" ? 1U : 0U;
    f.infra_errors += v.kind != "check" && v.status == Status::infra_error ? 1U : 0U;
    if (!counts(v)) {
        return;
    }
    ++f.judged;
    ++f.statuses[v.status];
    f.correct += v.status == Status::correct ? 1U : 0U;
    f.successes += v.success ? 1U : 0U;
    f.flagged += v.flags.empty() ? 0U : 1U;
    for (const std::string& flag : std::set<std::string>(v.flags.begin(), v.flags.end())) {
        ++f.flags[flag];
    }
}

}  // namespace

Figures figures_of(const Rows& rows) {
    Figures f;
    for (const ReportRow* row : rows) {
        count_row(f, row->verdict);
    }
    const ByProblem problems = judged_by_problem(rows);
    f.problems = problems.size();
    for (const auto& [problem, of] : problems) {
        bool won = false;
        for (const ReportRow* row : of) {
            won = won || row->verdict.success;
        }
        f.problems_won += won ? 1U : 0U;
    }
    const auto share = [](bool yes) { return yes ? 1.0 : 0.0; };
    f.correct_rate =
        wilson(mean_of_means(problems, [&](const Verdict& v) { return share(v.status == Status::correct); }),
               f.problems);
    f.success_rate =
        wilson(mean_of_means(problems, [&](const Verdict& v) { return share(v.success); }), f.problems);
    f.mean_score =
        mean_of_means(problems, [](const Verdict& v) { return std::isfinite(v.score) ? v.score : 0.0; });
    f.speedup = geometric(problems, &Verdict::speedup);
    f.speedup_vs_compile = geometric(problems, &Verdict::speedup_vs_compile);
    f.fast_p = fast_p(rows, {std::begin(standard_p), std::end(standard_p)});
    f.curve = fast_p(rows, curve_p());
    return f;
}

std::vector<LabelFigures> labels_of(const Rows& rows) {
    std::map<std::string, Rows> labels;
    for (const ReportRow* row : rows) {
        labels[row->verdict.label].push_back(row);
    }
    std::vector<LabelFigures> all;
    all.reserve(labels.size());
    for (const auto& [label, of] : labels) {
        std::string last;
        for (const ReportRow* row : of) {
            last = std::max(last, row->verdict.created);
        }
        all.push_back({label, last, figures_of(of)});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const LabelFigures& a, const LabelFigures& b) { return a.last > b.last; });
    return all;
}

std::vector<Slice> slices_of(const Rows& rows) {
    std::map<int, Rows> levels;
    std::map<std::string, Rows> families;
    std::map<std::pair<int, std::string>, Rows> both;
    for (const ReportRow* row : rows) {
        levels[row->level].push_back(row);
        families[row->family].push_back(row);
        both[{row->level, row->family}].push_back(row);
    }
    std::vector<Slice> slices;
    slices.reserve(levels.size() + families.size() + both.size());
    for (const auto& [level, of] : levels) {
        slices.push_back({level, std::nullopt, figures_of(of)});
    }
    for (const auto& [family, of] : families) {
        slices.push_back({std::nullopt, family, figures_of(of)});
    }
    for (const auto& [key, of] : both) {
        slices.push_back({key.first, key.second, figures_of(of)});
    }
    return slices;
}

}  // namespace kbeval
