#include "figures/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "stats/rates.h"

namespace kbeval {

namespace {

/// What must be equal for two evaluations to be compared.
using Place = std::tuple<std::string, std::string, std::string>;  // problem, gpu, size

Place place_of(const Verdict& v) {
    return {v.problem, v.gpu, v.size};
}

/// Rows that count, oldest first. Equal times keep the order they came in.
Rows in_order(const Rows& rows) {
    Rows sorted;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(sorted),
                 [](const ReportRow* row) { return counts(row->verdict); });
    std::stable_sort(sorted.begin(), sorted.end(), [](const ReportRow* a, const ReportRow* b) {
        return a->verdict.created < b->verdict.created;
    });
    return sorted;
}

std::optional<double> ratio_of(const Verdict& before, const Verdict& now) {
    if (!is_clean(before) || !is_clean(now) || !before.speedup || !now.speedup) {
        return std::nullopt;
    }
    const double ratio = *now.speedup / *before.speedup;
    return ratio > 0 && std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

Pair pair_of(const ReportRow& before, const ReportRow& now) {
    const Verdict& b = before.verdict;
    const Verdict& n = now.verdict;
    return {&before, &now, b.candidate_digest == n.candidate_digest, change_of(b, n), ratio_of(b, n)};
}

/// The newest row of every key.
template <typename Key>
auto newest(const Rows& sorted, Key key) {
    std::map<decltype(key(std::declval<const Verdict&>())), const ReportRow*> rows;
    for (const ReportRow* row : sorted) {
        rows[key(row->verdict)] = row;
    }
    return rows;
}

std::vector<Pair> pairs_of(const Rows& before, const Rows& now) {
    const auto by_source = [](const Verdict& v) { return std::pair(place_of(v), v.candidate_digest); };
    const auto sources_before = newest(before, by_source);
    std::vector<Pair> pairs;
    std::set<Place> paired;
    for (const auto& [key, row] : newest(now, by_source)) {
        const auto found = sources_before.find(key);
        if (found != sources_before.end()) {
            pairs.push_back(pair_of(*found->second, *row));
            paired.insert(key.first);
        }
    }
    const auto places_before = newest(before, place_of);
    for (const auto& [place, row] : newest(now, place_of)) {
        const auto found = places_before.find(place);
        if (found != places_before.end() && !paired.contains(place)) {
            pairs.push_back(pair_of(*found->second, *row));
        }
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
        return std::pair(a.change, place_of(a.now->verdict)) < std::pair(b.change, place_of(b.now->verdict));
    });
    return pairs;
}

std::vector<std::string> problems_missing(const Rows& of, const Rows& in) {
    std::set<std::string> there;
    for (const ReportRow* row : in) {
        there.insert(row->verdict.problem);
    }
    std::set<std::string> missing;
    for (const ReportRow* row : of) {
        if (!there.contains(row->verdict.problem)) {
            missing.insert(row->verdict.problem);
        }
    }
    return {missing.begin(), missing.end()};
}

void add_differences(std::set<std::string>& names, const Verdict& a, const Verdict& b) {
    if (a.evaluator != b.evaluator) {
        names.insert("evaluator");
    }
    if (a.problem_digest != b.problem_digest) {
        names.insert("problem source");
    }
    if (a.atol != b.atol || a.rtol != b.rtol) {
        names.insert("tolerance");
    }
    std::map<std::string, std::string> before(a.versions.begin(), a.versions.end());
    for (const auto& [name, value] : b.versions) {
        const auto found = before.find(name);
        if (found != before.end() && found->second != value) {
            names.insert(name);
        }
    }
}

}  // namespace

const char* to_string(Change change) {
    switch (change) {
        case Change::broken:
            return "broken";
        case Change::fixed:
            return "fixed";
        case Change::loss:
            return "loss";
        case Change::gain:
            return "gain";
        case Change::status:
            return "status";
        case Change::same:
            return "same";
    }
    return "same";
}

Change change_of(const Verdict& before, const Verdict& now) {
    if (before.success != now.success) {
        return before.success ? Change::broken : Change::fixed;
    }
    if (is_clean(before) && is_clean(now)) {
        if (now.speedup_hi95 && before.speedup_lo95 && *now.speedup_hi95 < *before.speedup_lo95) {
            return Change::loss;
        }
        if (now.speedup_lo95 && before.speedup_hi95 && *now.speedup_lo95 > *before.speedup_hi95) {
            return Change::gain;
        }
    }
    return before.status != now.status ? Change::status : Change::same;
}

Comparison compare(const Rows& before_rows, const Rows& now_rows, std::string against) {
    const Rows before = in_order(before_rows);
    const Rows now = in_order(now_rows);
    Comparison result;
    result.against = std::move(against);
    result.pairs = pairs_of(before, now);
    result.gone = problems_missing(before, now);
    result.new_ = problems_missing(now, before);
    std::vector<double> ratios;
    std::set<std::string> differs;
    for (const Pair& pair : result.pairs) {
        if (pair.ratio) {
            ratios.push_back(*pair.ratio);
        }
        add_differences(differs, pair.before->verdict, pair.now->verdict);
    }
    result.ratio = geometric_mean(ratios);
    result.differs.assign(differs.begin(), differs.end());
    return result;
}

std::vector<Pair> regressions(const Rows& rows) {
    std::map<std::pair<Place, std::string>, Rows> sources;
    for (const ReportRow* row : in_order(rows)) {
        sources[{place_of(row->verdict), row->verdict.candidate_digest}].push_back(row);
    }
    std::vector<Pair> broken;
    for (const auto& [key, of] : sources) {
        const auto success =
            std::find_if(of.rbegin(), of.rend(), [](const ReportRow* row) { return row->verdict.success; });
        if (success != of.rend() && !of.back()->verdict.success) {
            broken.push_back(pair_of(**success, *of.back()));
        }
    }
    return broken;
}

}  // namespace kbeval
