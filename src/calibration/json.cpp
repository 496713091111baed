#include <nlohmann/json.hpp>

#include "calibration/summary.h"

namespace kbeval {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json json_of(const Proportion& p) {
    return {{"count", p.count}, {"total", p.total}, {"share", p.share}, {"low95", p.low}, {"high95", p.high}};
}

Json json_of(const IdenticalSummary& s) {
    return {{"false_fast1", json_of(s.false_fast1)},
            {"flagged", json_of(s.flagged)},
            {"covered", json_of(s.covered)},
            {"judge_covered", json_of(s.judge_covered)},
            {"median_off", json_of(s.median_off)},
            {"most_off", json_of(s.most_off)},
            {"judge_median_off", json_of(s.judge_median_off)},
            {"judge_most_off", json_of(s.judge_most_off)}};
}

Json json_of(const ProblemSummary& p) {
    return {{"problem", p.problem},
            {"size", p.size},
            {"ref_ms", p.ref_ms},
            {"identical", json_of(p.identical)},
            {"speedup_drift", json_of(p.speedup_drift)},
            {"time_drift", json_of(p.time_drift)}};
}

Json json_of(const GainSummary& g) {
    return {{"gain", g.gain},
            {"detected", json_of(g.detected)},
            {"detected_2ms", json_of(g.detected_long)},
            {"covered", json_of(g.covered)}};
}

Json json_of(const CalibrationTiming& t) {
    return {{"problem", t.problem},
            {"size", t.size},
            {"processes", t.processes},
            {"gain", t.gain},
            {"true_speedup", t.true_speedup},
            {"start_s", t.start_s},
            {"seconds", t.seconds},
            {"ref_ms", t.ref_ms},
            {"cand_ms", t.cand_ms},
            {"speedup", t.speedup},
            {"lo95", t.lo95},
            {"hi95", t.hi95},
            {"judge_speedup", t.judge_speedup},
            {"judge_lo95", t.judge_lo95},
            {"judge_hi95", t.judge_hi95},
            {"trials", t.trials},
            {"fast1", t.fast1},
            {"flags", t.flags}};
}

template <typename Item>
Json array_of(const std::vector<Item>& items) {
    Json array = Json::array();
    for (const Item& item : items) {
        array.push_back(json_of(item));
    }
    return array;
}

}  // namespace

Json to_json(const Calibration& c, bool timings) {
    const CalibrationSummary s = summarize(c);
    Json json{{"id", c.id},
              {"created", c.created},
              {"evaluator", c.evaluator},
              {"device", c.device},
              {"gpu", c.gpu},
              {"seconds", c.seconds},
              {"complete", c.complete},
              {"failures", c.failures},
              {"identical", json_of(s.identical)}};
    json["gains"] = array_of(s.gains);
    json["reliable_gain"] = json_of(s.reliable_gain);
    json["reliable_gain_2ms"] = json_of(s.reliable_gain_long);
    json["most_speedup_drift"] = json_of(s.most_speedup_drift);
    json["most_time_drift"] = json_of(s.most_time_drift);
    json["problems"] = array_of(s.problems);
    if (timings) {
        json["timings"] = array_of(c.timings);
    }
    return json;
}

}  // namespace kbeval
