#include "experiment/comparison.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/terminal.h"

namespace kbeval {

namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

constexpr int digits = 4;

std::string group_of(const Outcome& o, const std::string& by) {
    return by == "level"    ? "level " + std::to_string(o.level)
           : by == "family" ? "family " + o.family
                            : "reader " + o.reader;
}

Comparison compare_all(const std::string& group, const std::vector<Outcome>& outcomes,
                       const ComparisonRequest& request) {
    Comparison c;
    c.group = group;
    for (const std::string& arm : request.arms) {
        c.arms.push_back(summarize(arm, outcomes));
    }
    if (request.arms.size() >= 2) {
        c.difference = paired_difference(request.arms[0], request.arms[1], outcomes, request.options);
    }
    return c;
}

/// Rows with columns aligned; the first column flush left, figures flush right.
std::string table(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], text_width(row[i]));
        }
    }
    std::string out;
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - text_width(row[i]), ' ');
            line += i == 0 ? row[i] + padding : "  " + padding + row[i];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

std::string threshold(std::size_t i) {
    return compact(fast_thresholds[i]);
}

std::string figure(double value) {
    return value == 0 ? "0" : significant(value, digits);
}

std::string arms_table(const std::vector<ArmSummary>& arms) {
    Row heading{"arm", "episodes", "open", "problems"};
    for (std::size_t i = 0; i < fast_thresholds.size(); ++i) {
        heading.push_back("fast_" + threshold(i) + " (raw)");
    }
    for (const char* name : {"success", "score", "geomean", "turns", "tokens in", "tokens out"}) {
        heading.emplace_back(name);
    }
    std::vector<Row> rows{heading};
    for (const ArmSummary& s : arms) {
        Row row{terminal_line(s.arm), std::to_string(s.episodes), std::to_string(s.open),
                std::to_string(s.problems)};
        for (std::size_t i = 0; i < fast_thresholds.size(); ++i) {
            row.push_back(figure(s.fast[i]) + " (" + figure(s.fast_raw[i]) + ")");
        }
        row.push_back(figure(s.success_rate));
        row.push_back(figure(s.mean_score));
        row.push_back(s.geometric_mean_score ? figure(*s.geometric_mean_score) : "-");
        row.push_back(figure(s.mean_turns));
        row.push_back(std::to_string(s.input_tokens));
        row.push_back(std::to_string(s.output_tokens));
        rows.push_back(row);
    }
    std::string out = table(rows);
    for (const ArmSummary& s : arms) {
        std::vector<std::string> counts;
        for (const auto& [status, count] : s.statuses) {
            counts.push_back(terminal_line(status) + " " + std::to_string(count));
        }
        out +=
            terminal_line(s.arm) + ": " + (counts.empty() ? "nothing finished" : join(counts, ", ")) + "\n";
    }
    return out;
}

std::string difference_text(const PairedDifference& d) {
    const std::string interval = d.low ? ", 95 % interval " + figure(*d.low) + " to " + figure(*d.high)
                                       : ", no interval (fewer than 4 problems)";
    return terminal_line(d.a) + " - " + terminal_line(d.b) + ": score " + figure(d.mean_score) + interval +
           "; success rate " + figure(d.success_rate) + "; wins-losses-ties " + std::to_string(d.wins) + "-" +
           std::to_string(d.losses) + "-" + std::to_string(d.ties) + " over " + std::to_string(d.problems) +
           (d.problems == 1 ? " problem" : " problems") + "; sign test p = " + figure(d.sign_p) + "\n";
}

Json optional_json(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json arm_json(const ArmSummary& s) {
    Json fast = Json::object();
    Json raw = Json::object();
    for (std::size_t i = 0; i < fast_thresholds.size(); ++i) {
        fast[threshold(i)] = s.fast[i];
        raw[threshold(i)] = s.fast_raw[i];
    }
    return {{"arm", s.arm},
            {"episodes", s.episodes},
            {"open", s.open},
            {"problems", s.problems},
            {"fast_p", fast},
            {"fast_p_raw", raw},
            {"success_rate", s.success_rate},
            {"mean_score", s.mean_score},
            {"geometric_mean_score", optional_json(s.geometric_mean_score)},
            {"mean_turns", s.mean_turns},
            {"input_tokens", s.input_tokens},
            {"output_tokens", s.output_tokens},
            {"statuses", s.statuses}};
}

Json difference_json(const PairedDifference& d) {
    return {{"a", d.a},
            {"b", d.b},
            {"problems", d.problems},
            {"pairs", d.pairs},
            {"mean_score", d.mean_score},
            {"low", optional_json(d.low)},
            {"high", optional_json(d.high)},
            {"success_rate", d.success_rate},
            {"wins", d.wins},
            {"losses", d.losses},
            {"ties", d.ties},
            {"sign_test_p", d.sign_p}};
}

}  // namespace

std::vector<Comparison> compare(const std::vector<Outcome>& outcomes, const ComparisonRequest& request) {
    std::vector<Comparison> comparisons{compare_all("", outcomes, request)};
    if (request.by.empty()) {
        return comparisons;
    }
    std::map<std::string, std::vector<Outcome>> groups;
    for (const Outcome& o : outcomes) {
        groups[group_of(o, request.by)].push_back(o);
    }
    for (const auto& [group, members] : groups) {
        comparisons.push_back(compare_all(group, members, request));
    }
    return comparisons;
}

std::string comparison_text(const std::vector<Comparison>& comparisons) {
    std::string out;
    for (const Comparison& c : comparisons) {
        out += c.group.empty() ? "" : "\n" + terminal_line(c.group) + "\n";
        out += arms_table(c.arms);
        out += c.difference ? difference_text(*c.difference) : "";
    }
    return out;
}

Json comparison_json(const std::vector<Comparison>& comparisons) {
    Json list = Json::array();
    for (const Comparison& c : comparisons) {
        Json arms = Json::array();
        for (const ArmSummary& s : c.arms) {
            arms.push_back(arm_json(s));
        }
        list.push_back({{"group", c.group},
                        {"arms", arms},
                        {"difference", c.difference ? difference_json(*c.difference) : Json(nullptr)}});
    }
    return list;
}

}  // namespace kbeval
