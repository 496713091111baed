#include "calibration/summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "stats/descriptive.h"

namespace kbeval {

namespace {

using Timings = std::vector<const CalibrationTiming*>;

template <typename Condition>
Timings select(const Timings& all, Condition condition) {
    Timings chosen;
    std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), condition);
    return chosen;
}

template <typename Condition>
Proportion share(const Timings& all, Condition condition) {
    const auto count = std::count_if(all.begin(), all.end(), condition);
    return proportion(static_cast<int>(count), static_cast<int>(all.size()));
}

template <typename Value>
std::vector<double> values(const Timings& all, Value value) {
    std::vector<double> out;
    std::transform(all.begin(), all.end(), std::back_inserter(out), value);
    return out;
}

Timings identical_of(const Timings& all) {
    return select(all, [](const auto* t) { return t->gain == 0; });
}

IdenticalSummary identical_summary(const Timings& all) {
    const Timings same = identical_of(all);
    IdenticalSummary s;
    s.false_fast1 = share(same, [](const auto* t) { return t->fast1; });
    s.flagged = share(same, [](const auto* t) { return !t->flags.empty(); });
    s.covered = share(same, [](const auto* t) { return t->lo95 <= 1 && 1 <= t->hi95; });
    s.judge_covered = share(same, [](const auto* t) { return t->judge_lo95 <= 1 && 1 <= t->judge_hi95; });
    if (!same.empty()) {
        const auto off = values(same, [](const auto* t) { return std::fabs(t->speedup - 1); });
        const auto judge_off = values(same, [](const auto* t) { return std::fabs(t->judge_speedup - 1); });
        s.median_off = median(off);
        s.most_off = *std::max_element(off.begin(), off.end());
        s.judge_median_off = median(judge_off);
        s.judge_most_off = *std::max_element(judge_off.begin(), judge_off.end());
    }
    return s;
}

ProblemSummary problem_summary(const Timings& all) {
    ProblemSummary s;
    s.problem = all.front()->problem;
    s.size = all.front()->size;
    const Timings same = identical_of(all);
    s.ref_ms = median(values(same.empty() ? all : same, [](const auto* t) { return t->ref_ms; }));
    s.identical = identical_summary(all);
    if (same.size() >= 4) {  // in the order they were made in
        const auto half = static_cast<std::ptrdiff_t>(same.size() / 2);
        const Timings first(same.begin(), same.begin() + half);
        const Timings second(same.begin() + half, same.end());
        const auto change = [&](auto value) {
            return median(values(second, value)) / median(values(first, value)) - 1;
        };
        s.speedup_drift = change([](const auto* t) { return t->speedup; });
        s.time_drift = change([](const auto* t) { return t->ref_ms; });
    }
    return s;
}

GainSummary gain_summary(const Timings& all, double gain) {
    const Timings slowed = select(all, [gain](const auto* t) { return t->gain == gain; });
    const Timings longer = select(slowed, [](const auto* t) { return t->cand_ms >= long_forward_ms; });
    const auto called = [](const auto* t) { return t->fast1; };
    return {gain, share(slowed, called), share(longer, called), share(slowed, [](const auto* t) {
                return t->lo95 <= t->true_speedup && t->true_speedup <= t->hi95;
            })};
}

std::optional<double> most(const std::vector<ProblemSummary>& problems,
                           std::optional<double> ProblemSummary::*field) {
    std::optional<double> largest;
    for (const ProblemSummary& p : problems) {
        if (p.*field) {
            largest = std::max(largest.value_or(0), std::fabs(*(p.*field)));
        }
    }
    return largest;
}

/// Gains are in rising order.
std::optional<double> reliable(const std::vector<GainSummary>& gains, Proportion GainSummary::*field) {
    std::optional<double> smallest;
    for (auto g = gains.rbegin(); g != gains.rend(); ++g) {
        const Proportion& detected = (*g).*field;
        if (detected.total == 0 || detected.share < reliable_share) {
            break;
        }
        smallest = g->gain;
    }
    return smallest;
}

std::string percent(double share) {
    return significant(100 * share, 2) + " %";
}

}  // namespace

CalibrationSummary summarize(const Calibration& calibration) {
    Timings all;
    std::map<std::pair<std::string, std::string>, Timings> by_problem;
    std::set<double> gains;
    for (const CalibrationTiming& t : calibration.timings) {
        all.push_back(&t);
        by_problem[{t.problem, t.size}].push_back(&t);
        if (t.gain > 0) {
            gains.insert(t.gain);
        }
    }
    CalibrationSummary s;
    s.identical = identical_summary(all);
    for (const auto& [problem, timings] : by_problem) {
        s.problems.push_back(problem_summary(timings));
    }
    std::sort(s.problems.begin(), s.problems.end(),
              [](const auto& a, const auto& b) { return a.ref_ms < b.ref_ms; });
    for (const double gain : gains) {
        s.gains.push_back(gain_summary(all, gain));
    }
    s.most_speedup_drift = most(s.problems, &ProblemSummary::speedup_drift);
    s.most_time_drift = most(s.problems, &ProblemSummary::time_drift);
    s.reliable_gain = reliable(s.gains, &GainSummary::detected);
    s.reliable_gain_long = reliable(s.gains, &GainSummary::detected_long);
    return s;
}

std::string summary_line(const Calibration& c) {
    const CalibrationSummary s = summarize(c);
    const Proportion& wrong = s.identical.false_fast1;
    std::string line = c.id.substr(0, 8) + " of " + c.created.substr(0, 10) + " on " + c.gpu +
                       ": false fast1 " + std::to_string(wrong.count) + " of " + std::to_string(wrong.total) +
                       " (at most " + percent(wrong.high) + ")";
    if (s.identical.median_off) {
        line += ", off by " + percent(*s.identical.median_off) + " (median), " +
                percent(*s.identical.most_off) + " (most)";
    }
    line += s.reliable_gain ? ", detects gains from " + percent(*s.reliable_gain)
                            : ", no known gain detected reliably on every problem";
    if (s.reliable_gain_long && s.reliable_gain_long != s.reliable_gain) {
        line += " (" + percent(*s.reliable_gain_long) + " from 2 ms on)";
    }
    return line;
}

}  // namespace kbeval
