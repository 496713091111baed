#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "report/run/document.h"
#include "report/run/rankings.h"

namespace kbeval {

namespace {

constexpr int digits = 4;
constexpr std::size_t short_id = 8;
constexpr std::size_t most_pairs = 50;
constexpr std::size_t most_labels = 30;
constexpr std::size_t most_ranked = 10;

std::string figure(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? significant(*value, digits) : "-";
}

std::string times_over(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? significant(*value, digits) + "x" : "-";
}

std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
    return text;
}

std::string percent(const Interval& share) {
    return percent(share.estimate) + " (" + percent(share.low) + " to " + percent(share.high) + ")";
}

std::string ratio(const std::optional<Interval>& of) {
    if (!of) {
        return "-";
    }
    const std::string value = times_over(of->estimate);
    return std::isfinite(of->low) ? value + " (" + times_over(of->low) + " to " + times_over(of->high) + ")"
                                  : value;
}

std::string title_of(const Group& group) {
    std::string title = group.run.empty() ? "All runs" : group.run;
    if (group.evaluator.empty() && group.gpu.empty()) {
        return title + ": evaluators, GPUs and sizes mixed";
    }
    return title + ": " + group.gpu + ", " + group.size + " size, evaluator " + group.evaluator;
}

void write_summary(Document& out, const Figures& f) {
    TableOf table{{{"figure"}, {"value", true}}, {}};
    const auto add = [&](const char* name, const std::string& value) { table.rows.push_back({name, value}); };
    add("problems", std::to_string(f.problems));
    add("evaluations judged", std::to_string(f.judged));
    add("success", percent(f.success_rate));
    add("correct", percent(f.correct_rate));
    add("problems with a success", std::to_string(f.problems_won));
    add("flagged", std::to_string(f.flagged));
    add("geometric mean speedup", ratio(f.speedup));
    add("geometric mean vs torch.compile", ratio(f.speedup_vs_compile));
    add("mean score", figure(f.mean_score));
    if (f.infra_errors > 0) {
        add("infrastructure failures, left out", std::to_string(f.infra_errors));
    }
    if (f.checks > 0) {
        add("checks, left out", std::to_string(f.checks));
    }
    out.table(table);
}

void write_fast_p(Document& out, const Figures& f) {
    TableOf table{{{"fast_p"}, {"surely (95 %)", true}, {"raw", true}, {"best of each problem", true}}, {}};
    for (const FastP& at : f.fast_p) {
        table.rows.push_back({"p = " + compact(at.p), percent(at.sure), percent(at.raw), percent(at.best)});
    }
    out.heading(3, "fast_p");
    out.table(table);
}

std::string name_of(const Slice& slice) {
    if (!slice.family) {
        return slice.level.value_or(0) == 0 ? "no level" : "level " + std::to_string(*slice.level);
    }
    return *slice.family;
}

std::optional<double> estimate(const std::optional<Interval>& of) {
    return of ? std::optional(of->estimate) : std::nullopt;
}

void write_labels(Document& out, const Group& group) {
    TableOf table{{{"label"},
                   {"problems", true},
                   {"judged", true},
                   {"success", true},
                   {"correct", true},
                   {"speedup", true},
                   {"vs compile", true},
                   {"newest"}},
                  {}};
    for (const LabelFigures& of : group.labels) {
        if (table.rows.size() == most_labels) {
            break;
        }
        const Figures& f = of.figures;
        table.rows.push_back({of.label.empty() ? "(none)" : of.label, std::to_string(f.problems),
                              std::to_string(f.judged), percent(f.success_rate.estimate),
                              percent(f.correct_rate.estimate), times_over(estimate(f.speedup)),
                              times_over(estimate(f.speedup_vs_compile)), of.last.substr(0, 16)});
    }
    out.heading(3, "By label");
    out.table(table);
    if (group.labels.size() > most_labels) {
        out.paragraph(std::to_string(group.labels.size() - most_labels) +
                      " older: kbeval report --json lists all");
    }
}

void write_slices(Document& out, const Group& group) {
    TableOf table{{{"part"},
                   {"problems", true},
                   {"success", true},
                   {"correct", true},
                   {"speedup", true},
                   {"vs compile", true},
                   {"statuses"}},
                  {}};
    for (const Slice& slice : group.slices) {
        if ((slice.level && slice.family) || slice.figures.judged == 0) {
            continue;
        }
        std::vector<std::string> statuses;
        for (const auto& [status, count] : slice.figures.statuses) {
            statuses.push_back(std::string(to_string(status)) + " " + std::to_string(count));
        }
        const Figures& f = slice.figures;
        table.rows.push_back({name_of(slice), std::to_string(f.problems), percent(f.success_rate.estimate),
                              percent(f.correct_rate.estimate), times_over(estimate(f.speedup)),
                              times_over(estimate(f.speedup_vs_compile)), join(statuses, ", ")});
    }
    out.heading(3, "By level and family");
    out.table(table);
}

std::string speedup_of(const Verdict& v) {
    return v.speedup
               ? times_over(v.speedup) + " [" + figure(v.speedup_lo95) + ", " + figure(v.speedup_hi95) + "]"
               : "-";
}

void write_rankings(Document& out, const Group& group) {
    const Rows slowest = least_speedups(group.rows, most_ranked);
    if (!slowest.empty()) {
        TableOf table{{{"problem"}, {"speedup", true}, {"cand ms", true}, {"evaluation"}}, {}};
        for (const ReportRow* row : slowest) {
            const Verdict& v = row->verdict;
            table.rows.push_back({v.problem, speedup_of(v), figure(v.cand_ms), v.id.substr(0, short_id)});
        }
        out.begin_details("Slowest correct kernels against the reference");
        out.table(table);
        out.end_details();
    }
    if (group.figures.flags.empty()) {
        return;
    }
    TableOf table{{{"flag"}, {"evaluations", true}}, {}};
    std::vector<std::pair<std::string, std::size_t>> flags(group.figures.flags.begin(),
                                                           group.figures.flags.end());
    std::stable_sort(flags.begin(), flags.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [flag, count] : flags) {
        table.rows.push_back({flag, std::to_string(count)});
    }
    out.begin_details("Flags");
    out.table(table);
    out.end_details();
}

void write_provenance(Document& out, const Provenance& p) {
    TableOf table{{{"what"}, {"value"}}, {{"evaluated", p.first + " to " + p.last}}};
    for (const auto* names : {&p.settings, &p.versions}) {
        for (const auto& [name, values] : *names) {
            std::vector<std::string> all;
            for (const auto& [value, count] : values) {
                all.push_back(values.size() == 1 ? value : value + " (" + std::to_string(count) + ")");
            }
            table.rows.push_back({name, join(all, ", ")});
        }
    }
    out.begin_details("Provenance");
    out.table(table);
    out.end_details();
}

std::string outcome(const Verdict& v) {
    const std::string word = v.success ? "success" : std::string(to_string(v.status));
    return v.speedup ? word + " " + speedup_of(v) : word;
}

void write_pairs(Document& out, const std::vector<Pair>& pairs) {
    TableOf table{{{"problem"}, {"change"}, {"before"}, {"now"}, {"ratio", true}, {"why"}, {"evaluation"}},
                  {}};
    for (const Pair& pair : pairs) {
        if (table.rows.size() == most_pairs) {
            break;
        }
        const Verdict& now = pair.now->verdict;
        const std::string why = now.message.empty() ? join(now.flags, ", ") : now.message;
        table.rows.push_back({now.problem, to_string(pair.change), outcome(pair.before->verdict),
                              outcome(now), figure(pair.ratio), why, now.id.substr(0, short_id)});
    }
    out.table(table);
    if (pairs.size() > most_pairs) {
        out.paragraph(std::to_string(pairs.size() - most_pairs) + " more: kbeval report --json lists all");
    }
}

void write_comparison(Document& out, const Comparison& c) {
    out.heading(2, "Against " + c.against);
    std::map<Change, std::size_t> counts;
    std::vector<Pair> changed;
    for (const Pair& pair : c.pairs) {
        ++counts[pair.change];
        if (pair.change != Change::same) {
            changed.push_back(pair);
        }
    }
    std::string line = std::to_string(c.pairs.size()) + " pairs";
    for (const auto& [change, count] : counts) {
        line += ", " + std::to_string(count) + " " + to_string(change);
    }
    out.paragraph(line + ". Speedup now over before, geometric mean: " + ratio(c.ratio) + ".");
    if (!c.differs.empty()) {
        out.paragraph("Not the same in both: " + join(c.differs, ", ") + ".");
    }
    if (!c.new_.empty() || !c.gone.empty()) {
        out.paragraph("Problems only here: " + std::to_string(c.new_.size()) +
                      "; only there: " + std::to_string(c.gone.size()) + ".");
    }
    if (!changed.empty()) {
        write_pairs(out, changed);
    }
}

}  // namespace

void write_report(Document& out, const Report& report) {
    out.heading(1, "kbeval report");
    for (const Group& group : report.groups) {
        out.heading(2, title_of(group));
        write_summary(out, group.figures);
        if (group.figures.judged > 0) {
            write_fast_p(out, group.figures);
            if (group.labels.size() > 1) {
                write_labels(out, group);
            }
            write_slices(out, group);
            write_rankings(out, group);
        }
        write_provenance(out, group.provenance);
    }
    if (report.groups.empty()) {
        out.paragraph("No evaluation matches.");
    }
    if (report.comparison) {
        write_comparison(out, *report.comparison);
    } else if (!report.regressions.empty()) {
        out.heading(2, "Stored successes that no longer hold");
        write_pairs(out, report.regressions);
    }
}

}  // namespace kbeval
