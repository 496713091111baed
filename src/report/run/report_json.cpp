#include "report/run/report_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace kbeval {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json number(const std::optional<double>& value) {
    return value ? number(*value) : Json(nullptr);
}

Json interval(const Interval& of) {
    return {{"value", number(of.estimate)}, {"lo95", number(of.low)}, {"hi95", number(of.high)}};
}

Json interval(const std::optional<Interval>& of) {
    return of ? interval(*of) : Json(nullptr);
}

Json fast_p_json(const std::vector<FastP>& all) {
    Json array = Json::array();
    for (const FastP& f : all) {
        array.push_back({{"p", f.p},
                         {"fast_p", f.sure.estimate},
                         {"lo95", f.sure.low},
                         {"hi95", f.sure.high},
                         {"raw", f.raw},
                         {"best", f.best}});
    }
    return array;
}

Json counts_json(const std::map<std::string, std::map<std::string, std::size_t>>& names) {
    Json object = Json::object();
    for (const auto& [name, values] : names) {
        Json of = Json::object();
        for (const auto& [value, count] : values) {
            of[value] = count;
        }
        object[name] = std::move(of);
    }
    return object;
}

Json row_json(const ReportRow& row) {
    Json json = to_json(row.verdict);
    json["name"] = row.name;
    json["family"] = row.family;
    json["level"] = row.level == 0 ? Json(nullptr) : Json(row.level);
    return json;
}

Json side_json(const ReportRow& row) {
    const Verdict& v = row.verdict;
    return {{"id", v.id},
            {"created", v.created},
            {"label", v.label},
            {"status", to_string(v.status)},
            {"success", v.success},
            {"speedup", number(v.speedup)},
            {"speedup_lo95", number(v.speedup_lo95)},
            {"speedup_hi95", number(v.speedup_hi95)},
            {"flags", v.flags},
            {"message", v.message},
            {"evaluator", v.evaluator},
            {"candidate_digest", v.candidate_digest}};
}

}  // namespace

nlohmann::ordered_json figures_json(const Figures& f, bool curve) {
    Json statuses = Json::object();
    for (const auto& [status, count] : f.statuses) {
        statuses[std::string(to_string(status))] = count;
    }
    Json flags = Json::object();
    for (const auto& [flag, count] : f.flags) {
        flags[flag] = count;
    }
    Json json{{"evaluations", f.evaluations},
              {"checks", f.checks},
              {"infra_errors", f.infra_errors},
              {"judged", f.judged},
              {"problems", f.problems},
              {"problems_won", f.problems_won},
              {"correct", f.correct},
              {"successes", f.successes},
              {"flagged", f.flagged},
              {"statuses", statuses},
              {"flags", flags},
              {"correct_rate", interval(f.correct_rate)},
              {"success_rate", interval(f.success_rate)},
              {"mean_score", f.mean_score},
              {"speedup", interval(f.speedup)},
              {"speedup_vs_compile", interval(f.speedup_vs_compile)},
              {"fast_p", fast_p_json(f.fast_p)}};
    if (curve) {
        json["curve"] = fast_p_json(f.curve);
    }
    return json;
}

nlohmann::ordered_json group_json(const Group& group) {
    Json slices = Json::array();
    for (const Slice& slice : group.slices) {
        slices.push_back({{"level", slice.level ? Json(*slice.level) : Json(nullptr)},
                          {"family", slice.family ? Json(*slice.family) : Json(nullptr)},
                          {"figures", figures_json(slice.figures)}});
    }
    Json labels = Json::array();
    for (const LabelFigures& of : group.labels) {
        labels.push_back(
            {{"label", of.label}, {"last", of.last}, {"figures", figures_json(of.figures, false)}});
    }
    Json ids = Json::array();
    for (const ReportRow* row : group.rows) {
        ids.push_back(row->verdict.id);
    }
    const Provenance& p = group.provenance;
    return {{"run", group.run},
            {"evaluator", group.evaluator},
            {"gpu", group.gpu},
            {"size", group.size},
            {"figures", figures_json(group.figures)},
            {"slices", slices},
            {"labels", labels},
            {"provenance",
             {{"first", p.first},
              {"last", p.last},
              {"versions", counts_json(p.versions)},
              {"settings", counts_json(p.settings)}}},
            {"evaluations", ids}};
}

nlohmann::ordered_json pair_json(const Pair& pair) {
    return {{"problem", pair.now->verdict.problem}, {"change", to_string(pair.change)},
            {"same_source", pair.same_source},      {"ratio", number(pair.ratio)},
            {"before", side_json(*pair.before)},    {"now", side_json(*pair.now)}};
}

nlohmann::ordered_json comparison_json(const Comparison& c) {
    Json pairs = Json::array();
    for (const Pair& pair : c.pairs) {
        pairs.push_back(pair_json(pair));
    }
    return {{"against", c.against}, {"ratio", interval(c.ratio)},
            {"differs", c.differs}, {"gone", c.gone},
            {"new", c.new_},        {"pairs", pairs}};
}

nlohmann::ordered_json report_json(const Report& report) {
    Json json;
    json["format"] = report_format;
    json["created"] = report.created;
    json["runs"] = Json::array();
    for (const RunRows& run : report.runs) {
        json["runs"].push_back(
            {{"name", run.name}, {"database", run.database}, {"evaluations", run.rows.size()}});
    }
    json["groups"] = Json::array();
    for (const Group& group : report.groups) {
        json["groups"].push_back(group_json(group));
    }
    json["earlier"] = Json::array();
    for (const Group& group : report.earlier_groups) {
        json["earlier"].push_back(group_json(group));
    }
    json["comparison"] = report.comparison ? comparison_json(*report.comparison) : Json(nullptr);
    json["regressions"] = Json::array();
    for (const Pair& pair : report.regressions) {
        json["regressions"].push_back(pair_json(pair));
    }
    json["evaluations"] = Json::array();
    for (const ReportRow* row : report.rows()) {
        json["evaluations"].push_back(row_json(*row));
    }
    return json;
}

}  // namespace kbeval
