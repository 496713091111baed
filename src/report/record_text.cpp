#include "report/record_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/terminal.h"
#include "report/verdict_text.h"
#include "stats/descriptive.h"

namespace kbeval {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string section(const std::string& title) {
    return "\n" + title + "\n";
}

/// Rows of two columns, the first as wide as its longest text.
std::string two_columns(const Pairs& rows) {
    std::size_t width = 0;
    for (const auto& [name, value] : rows) {
        width = std::max(width, text_width(terminal_line(name)));
    }
    std::string out;
    for (const auto& [name, value] : rows) {
        const std::string safe = terminal_line(name);
        out += "  " + safe + std::string(width - text_width(safe) + 2, ' ') + terminal_line(value) + "\n";
    }
    return out;
}

/// A text from outside, indented, ending in a newline.
std::string block(const std::string& text) {
    const std::string safe = terminal_text(text);
    std::string out;
    for (const std::string_view line : split_lines(safe)) {
        out += line.empty() ? "\n" : "  " + std::string(line) + "\n";
    }
    return out;
}

std::string identity(const Verdict& v) {
    Pairs rows{{"id", v.id},
               {"created", v.created},
               {"kind", v.kind},
               {"problem digest", v.problem_digest},
               {"candidate digest", v.candidate_digest},
               {"device", v.device}};
    if (!v.label.empty()) {
        rows.emplace_back("label", v.label);
    }
    if (v.speedup_mean) {
        rows.emplace_back("mean of ratios", significant(*v.speedup_mean, 4) + "x");
    }
    rows.emplace_back("score", significant(v.score, 4));
    return section("record") + two_columns(rows);
}

std::string stages(const std::vector<StageTime>& all) {
    Pairs rows;
    double total = 0;
    for (const StageTime& stage : all) {
        rows.emplace_back(stage.name, significant(stage.seconds, 3) + " s");
        total += stage.seconds;
    }
    rows.emplace_back("all stages", significant(total, 3) + " s");
    return section("stages") + two_columns(rows);
}

std::string summary_row(const char* name, const std::vector<double>& values) {
    if (values.empty()) {
        return "";
    }
    char row[160];
    std::snprintf(row, sizeof row, "  %-13s %6zu  %10s  %10s  %10s  %10s  %10s\n", name, values.size(),
                  significant(quantile(values, 0), 4).c_str(), significant(quantile(values, 0.25), 4).c_str(),
                  significant(median(values), 4).c_str(), significant(quantile(values, 0.75), 4).c_str(),
                  significant(quantile(values, 1), 4).c_str());
    return row;
}

/// Times that are numbers; a NaN among them would make order statistics meaningless.
void add_finite(std::vector<double>& values, const std::optional<double>& value) {
    if (value && std::isfinite(*value)) {
        values.push_back(*value);
    }
}

std::string sample_summary(const std::vector<Trial>& samples) {
    std::vector<double> reference;
    std::vector<double> compiled;
    std::vector<double> candidate;
    for (const Trial& trial : samples) {
        add_finite(reference, trial.ref_ms);
        add_finite(compiled, trial.compile_ms);
        add_finite(candidate, trial.cand_ms);
    }
    char heading[160];
    std::snprintf(heading, sizeof heading, "  %-13s %6s  %10s  %10s  %10s  %10s  %10s\n", "", "trials",
                  "least", "quartile 1", "median", "quartile 3", "most");
    return section("samples in ms") + heading + summary_row("reference", reference) +
           summary_row("torch.compile", compiled) + summary_row("candidate", candidate);
}

std::string all_samples(const std::vector<Trial>& samples) {
    char row[128];
    std::snprintf(row, sizeof row, "\n  %6s %6s  %12s  %13s  %12s\n", "trial", "round", "reference",
                  "torch.compile", "candidate");
    std::string out = row;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const Trial& t = samples[i];
        const std::string compiled = t.compile_ms ? significant(*t.compile_ms, 6) : "-";
        std::snprintf(row, sizeof row, "  %6zu %6d  %12s  %13s  %12s\n", i, t.round,
                      significant(t.ref_ms, 6).c_str(), compiled.c_str(), significant(t.cand_ms, 6).c_str());
        out += row;
    }
    return out;
}

nlohmann::ordered_json number_or_null(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string record_text(const EvaluationRecord& record, const RecordParts& parts, bool colour) {
    const Verdict& v = record.verdict;
    std::string out = verdict_text(v, colour, std::numeric_limits<std::size_t>::max()) + identity(v);
    if (!v.stages.empty()) {
        out += stages(v.stages);
    }
    if (!v.versions.empty()) {
        out += section("versions") + two_columns(v.versions);
    }
    if (!v.conditions.empty()) {
        out += section("conditions") + two_columns(v.conditions);
    }
    if (!v.samples.empty()) {
        out += sample_summary(v.samples);
        out += parts.samples ? all_samples(v.samples) : "";
    }
    if (!record.log.empty()) {
        out += section("log of the candidate's runner") + block(record.log);
    }
    if (parts.source) {
        out += section("source") + terminal_text(record.source);
        out += record.source.empty() || record.source.back() != '\n' ? "\n" : "";
    }
    return out;
}

nlohmann::ordered_json record_json(const EvaluationRecord& record, const RecordParts& parts) {
    nlohmann::ordered_json json = to_json(record.verdict);
    json["log"] = record.log;
    if (parts.samples) {
        nlohmann::ordered_json samples = nlohmann::ordered_json::array();
        for (const Trial& trial : record.verdict.samples) {
            samples.push_back({{"round", trial.round},
                               {"ref_ms", number_or_null(trial.ref_ms)},
                               {"compile_ms", trial.compile_ms ? number_or_null(*trial.compile_ms) : nullptr},
                               {"cand_ms", number_or_null(trial.cand_ms)}});
        }
        json["samples"] = std::move(samples);
    }
    if (parts.source) {
        json["source"] = record.source;
    }
    return json;
}

std::string dump_json(const nlohmann::ordered_json& json, int indent) {
    return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace kbeval
