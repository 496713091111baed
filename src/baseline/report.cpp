#include "baseline/report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "stats/descriptive.h"

namespace kbeval {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json json_of(const std::optional<Interval>& value) {
    if (!value) {
        return nullptr;
    }
    return {{"median", value->estimate}, {"lo95", value->low}, {"hi95", value->high}};
}

Json json_of(const BaselineRow& row) {
    const Baseline& b = row.baseline;
    return {{"problem", b.problem},
            {"name", row.name},
            {"level", row.level},
            {"family", row.family},
            {"problem_digest", b.problem_digest},
            {"size", b.size},
            {"created", b.created},
            {"evaluator", b.evaluator},
            {"failure", b.failure.empty() ? Json(nullptr) : Json(b.failure)},
            {"eager_ms", json_of(b.eager_ms)},
            {"compile_ms", json_of(b.compile_ms)},
            {"compile_speedup", json_of(b.speedup)},
            {"compile_note", b.compile_note.empty() ? Json(nullptr) : Json(b.compile_note)},
            {"compile_seconds", json_of(b.compile_seconds)},
            {"eager_peak_bytes", json_of(b.eager_peak_bytes)},
            {"compile_peak_bytes", json_of(b.compile_peak_bytes)},
            {"roofline_ms", json_of(b.roofline_ms)},
            {"roofline_share", json_of(b.roofline_share())},
            {"max_abs_diff", json_of(b.max_abs_diff)},
            {"trials", b.trials},
            {"rounds", b.rounds.size()},
            {"seconds", b.seconds}};
}

/// Values that the rows have of each fact, in order of name; more than one shows that conditions changed.
std::map<std::string, std::set<std::string>> facts_of(const std::vector<BaselineRow>& rows) {
    std::map<std::string, std::set<std::string>> facts;
    for (const BaselineRow& row : rows) {
        const Baseline& b = row.baseline;
        facts["gpu"].insert(b.gpu);
        facts["size"].insert(b.size);
        facts["evaluator"].insert(b.evaluator);
        facts["day"].insert(b.created.substr(0, 10));
        for (const auto& [name, value] : b.facts) {
            if (name != "temperature_c" && name != "power_w" && name != "sm_mhz" && name != "memory_mhz" &&
                name != "throttle_reasons") {
                facts[name].insert(value);
            }
        }
    }
    return facts;
}

std::string with_spread(const std::optional<Interval>& value) {
    if (!value) {
        return "-";
    }
    const double half = 50 * (value->high - value->low) / value->estimate;
    return significant(value->estimate, 4) + " ±" + significant(half, 2) + " %";
}

std::string gigabytes(const std::optional<double>& bytes) {
    return bytes ? significant(*bytes / 1e9, 3) : "-";
}

std::string percent(const std::optional<double>& share) {
    return share ? significant(100 * *share, 3) : "-";
}

std::string cell(std::string text) {
    text = replace_all(printable(text), "|", "\\|");
    return replace_all(text, "\n", " ");
}

/// Geometric means by level.
void add_summary(std::string& text, const std::vector<BaselineRow>& rows) {
    struct Sums {
        int problems = 0;
        int eager = 0;
        std::vector<double> log_speedups;
        std::vector<double> shares;
    };
    std::map<int, Sums> levels;
    for (const BaselineRow& row : rows) {
        Sums& sums = levels[row.level];
        ++sums.problems;
        sums.eager += row.baseline.eager_ms ? 1 : 0;
        if (row.baseline.speedup) {
            sums.log_speedups.push_back(std::log(row.baseline.speedup->estimate));
        }
        if (const auto share = row.baseline.roofline_share()) {
            sums.shares.push_back(*share);
        }
    }
    text +=
        "| level | problems | eager timed | compiled timed | torch.compile's speedup (geometric mean) | "
        "eager's share of the roofline (median) |\n| --- | ---: | ---: | ---: | ---: | ---: |\n";
    for (const auto& [level, sums] : levels) {
        text += "| " + std::to_string(level) + " | " + std::to_string(sums.problems) + " | " +
                std::to_string(sums.eager) + " | " + std::to_string(sums.log_speedups.size()) + " | " +
                (sums.log_speedups.empty() ? "-" : significant(std::exp(mean(sums.log_speedups)), 4)) +
                " | " + (sums.shares.empty() ? "-" : percent(median(sums.shares)) + " %") + " |\n";
    }
}

}  // namespace

Json baselines_json(const std::vector<BaselineRow>& rows) {
    Json facts = Json::object();
    for (const auto& [name, values] : facts_of(rows)) {
        facts[name] = values.size() == 1 ? Json(*values.begin()) : Json(values);
    }
    Json problems = Json::array();
    for (const BaselineRow& row : rows) {
        problems.push_back(json_of(row));
    }
    return {{"facts", std::move(facts)}, {"problems", std::move(problems)}};
}

std::string baselines_markdown(const std::vector<BaselineRow>& rows) {
    std::string text = "# Times of the references\n\n";
    for (const auto& [name, values] : facts_of(rows)) {
        text += "- " + name + ": " + cell(join({values.begin(), values.end()}, ", ")) + "\n";
    }
    text += "\n";
    add_summary(text, rows);
    text +=
        "\nTimes are medians in milliseconds with half of their 95 % interval; memory is the peak of one "
        "forward (inputs,\nweights, intermediate results) in GB; the roofline is at strict fp32 and by "
        "least bytes (docs/problems.md).\n\n"
        "| problem | name | family | eager ms | torch.compile ms | speedup | eager GB | compiled GB | "
        "roofline ms | eager's share % | note |\n"
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
    for (const BaselineRow& row : rows) {
        const Baseline& b = row.baseline;
        const std::string speedup = b.speedup ? significant(b.speedup->estimate, 3) : "-";
        const std::string roofline = b.roofline_ms ? significant(*b.roofline_ms, 3) : "-";
        std::string note = b.failure.empty() ? b.compile_note : b.failure;
        note = note.substr(0, 160);
        text += "| " + b.problem + " | " + cell(row.name) + " | " + row.family + " | " +
                with_spread(b.eager_ms) + " | " + with_spread(b.compile_ms) + " | " + speedup + " | " +
                gigabytes(b.eager_peak_bytes) + " | " + gigabytes(b.compile_peak_bytes) + " | " + roofline +
                " | " + percent(b.roofline_share()) + " | " + cell(to_valid_utf8(note)) + " |\n";
    }
    return text;
}

}  // namespace kbeval
