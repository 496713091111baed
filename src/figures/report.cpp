#include "figures/report.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

#include "base/clock.h"
#include "base/text.h"

namespace kbeval {

namespace {

/// Level of an id such as L2_076, for problems that the catalogue doesn't know; 0 where it says none.
int level_in(const std::string& id) {
    int level = 0;
    if (id.size() > 2 && id[0] == 'L') {
        const auto [end, code] = std::from_chars(id.data() + 1, id.data() + id.size(), level);
        return code == std::errc() && *end == '_' && level > 0 ? level : 0;
    }
    return 0;
}

ReportRow row_of(Verdict verdict, const ProblemNames& problems) {
    ReportRow row;
    const auto found = problems.find(verdict.problem);
    if (found != problems.end()) {
        row.name = found->second.name;
        row.family = found->second.family;
        row.level = found->second.level;
    } else {
        row.family = "unknown";
        row.level = level_in(verdict.problem);
    }
    row.verdict = std::move(verdict);
    return row;
}

bool matches(const ReportRow& row, const ReportFilter& filter) {
    const auto is = [](const std::string& wanted, const std::string& value) {
        return wanted.empty() || wanted == value;
    };
    const Verdict& v = row.verdict;
    return is(filter.evaluator, v.evaluator) && is(filter.gpu, v.gpu) && is(filter.size, v.size) &&
           is(filter.family, row.family) && (!filter.level || *filter.level == row.level);
}

Provenance provenance_of(const Rows& rows) {
    Provenance p;
    for (const ReportRow* row : rows) {
        const Verdict& v = row->verdict;
        p.first = p.first.empty() ? v.created : std::min(p.first, v.created);
        p.last = std::max(p.last, v.created);
        for (const auto& [name, value] : v.versions) {
            ++p.versions[name][value];
        }
        ++p.settings["device"][v.device];
        ++p.settings["seeds"][std::to_string(v.seeds)];
        ++p.settings["atol / rtol"][compact(v.atol) + " / " + compact(v.rtol)];
        for (const auto& [name, value] : v.conditions) {
            if (name == "sandbox" || name == "calibration") {  // the rest is figures of one moment
                ++p.settings[name][value];
            }
        }
    }
    return p;
}

std::vector<Group> groups_of(const std::vector<const RunRows*>& runs, bool mix) {
    using Key = std::tuple<std::size_t, std::string, std::string, std::string>;
    std::map<Key, Rows> sorted;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (const ReportRow& row : runs[i]->rows) {
            const Verdict& v = row.verdict;
            sorted[mix ? Key{i, "", "", ""} : Key{i, v.evaluator, v.gpu, v.size}].push_back(&row);
        }
    }
    std::vector<Group> groups;
    for (auto& [key, rows] : sorted) {
        const auto& [run, evaluator, gpu, size] = key;
        groups.push_back({runs[run]->name, evaluator, gpu, size, rows, figures_of(rows), slices_of(rows),
                          labels_of(rows), provenance_of(rows)});
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const Group& a, const Group& b) { return a.provenance.last > b.provenance.last; });
    return groups;
}

Rows pointers(const RunRows& run) {
    Rows rows;
    for (const ReportRow& row : run.rows) {
        rows.push_back(&row);
    }
    return rows;
}

}  // namespace

Rows Report::rows() const {
    Rows all;
    for (const RunRows& run : runs) {
        const Rows of = pointers(run);
        all.insert(all.end(), of.begin(), of.end());
    }
    return all;
}

ProblemNames names_of(const Catalogue& catalogue) {
    ProblemNames names;
    for (const Problem& problem : catalogue.problems()) {
        names.emplace(problem.id, problem);
    }
    return names;
}

std::vector<ProblemRow> problem_rows(const ProblemNames& problems) {
    std::vector<ProblemRow> rows;
    for (const auto& [id, problem] : problems) {
        rows.push_back({id, problem.name, problem.level, problem.family});
    }
    return rows;
}

RunRows read_run(Store& store, std::string name, const std::optional<std::string>& label,
                 const ReportFilter& filter, const ProblemNames& problems) {
    EvaluationFilter stored;
    stored.label = label;
    stored.limit = std::numeric_limits<int>::max();
    RunRows run{std::move(name), store.path().string(), {}};
    for (Verdict& verdict : store.list(stored)) {
        ReportRow row = row_of(std::move(verdict), problems);
        if (matches(row, filter)) {
            run.rows.push_back(std::move(row));
        }
    }
    return run;
}

Report build_report(std::deque<RunRows> runs, std::optional<RunRows> earlier, bool mix) {
    Report report;
    report.created = utc_now();
    report.runs = std::move(runs);
    report.earlier = std::move(earlier);
    std::vector<const RunRows*> read;
    for (const RunRows& run : report.runs) {
        read.push_back(&run);
    }
    report.groups = groups_of(read, mix);
    const Rows rows = report.rows();
    if (report.earlier) {
        report.earlier_groups = groups_of({&*report.earlier}, mix);
        report.comparison = compare(pointers(*report.earlier), rows, report.earlier->name);
        for (const Pair& pair : report.comparison->pairs) {
            if (pair.change == Change::broken) {
                report.regressions.push_back(pair);
            }
        }
    } else {
        report.regressions = regressions(rows);
    }
    return report;
}

}  // namespace kbeval
