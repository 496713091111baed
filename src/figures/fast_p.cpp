#include "figures/fast_p.h"

#include <map>
#include <string_view>

#include "stats/rates.h"

namespace kbeval {

namespace {

/// Whether a figure is above p; at p = 0 being correct is enough, timed or not.
bool above(const std::optional<double>& figure, double p) {
    return p == 0 || figure.value_or(0) > p;
}

struct Tally {
    std::size_t evaluations = 0;
    std::size_t sure = 0;
    std::size_t raw = 0;
};

FastP at(const std::map<std::string_view, Rows>& problems, double p) {
    FastP result;
    result.p = p;
    double sure = 0;
    std::size_t best = 0;
    for (const auto& [problem, rows] : problems) {
        Tally tally;
        for (const ReportRow* row : rows) {
            const Verdict& v = row->verdict;
            const bool correct = v.status == Status::correct;
            ++tally.evaluations;
            tally.sure += is_clean(v) && above(v.speedup_lo95, p) ? 1U : 0U;
            tally.raw += correct && above(v.speedup, p) ? 1U : 0U;
        }
        const auto count = static_cast<double>(tally.evaluations);
        sure += static_cast<double>(tally.sure) / count;
        result.raw += static_cast<double>(tally.raw) / count;
        best += tally.sure > 0 ? 1U : 0U;
    }
    const auto count = static_cast<double>(problems.size());
    if (!problems.empty()) {
        sure /= count;
        result.raw /= count;
        result.best = static_cast<double>(best) / count;
    }
    result.sure = wilson(sure, problems.size());
    return result;
}

}  // namespace

bool counts(const Verdict& verdict) {
    return verdict.kind == "run" && verdict.status != Status::infra_error;
}

bool is_clean(const Verdict& verdict) {
    return verdict.status == Status::correct && verdict.flags.empty();
}

const std::vector<double>& curve_p() {
    static const std::vector<double> thresholds = [] {
        constexpr int fine_end = 40;    // steps of 0.05 up to 2
        constexpr int coarse_end = 32;  // then of 0.25 up to 10
        std::vector<double> all;
        for (int i = 0; i <= fine_end; ++i) {
            all.push_back(i / 20.0);
        }
        for (int i = 1; i <= coarse_end; ++i) {
            all.push_back(2 + i / 4.0);
        }
        return all;
    }();
    return thresholds;
}

std::vector<FastP> fast_p(const Rows& rows, const std::vector<double>& thresholds) {
    std::map<std::string_view, Rows> problems;
    for (const ReportRow* row : rows) {
        if (counts(row->verdict)) {
            problems[row->verdict.problem].push_back(row);
        }
    }
    std::vector<FastP> all;
    all.reserve(thresholds.size());
    for (const double p : thresholds) {
        all.push_back(at(problems, p));
    }
    return all;
}

}  // namespace kbeval
