#include "verdict/verdict.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace kbeval {

namespace {

nlohmann::ordered_json optional_json(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// JSON has no infinity: non-finite numbers become strings ("nan", "inf", "-inf").
nlohmann::ordered_json any_number(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    return value;
}

nlohmann::ordered_json to_json(const Agreement& agreement) {
    return {{"max_abs_diff", any_number(agreement.max_abs_diff)},
            {"max_rel_diff", any_number(agreement.max_rel_diff)},
            {"share_beyond_tolerance", agreement.share_beyond},
            {"seeds_checked", agreement.seeds_checked},
            {"output", agreement.output},
            {"worst_index", agreement.worst_index},
            {"worst_expected", any_number(agreement.worst_expected)},
            {"worst_actual", any_number(agreement.worst_actual)}};
}

nlohmann::ordered_json to_json(const Precision& precision) {
    return {{"ref_max_abs", any_number(precision.ref_max_abs)},
            {"ref_rms", any_number(precision.ref_rms)},
            {"cand_max_abs", any_number(precision.cand_max_abs)},
            {"cand_rms", any_number(precision.cand_rms)},
            {"seeds", precision.seeds}};
}

nlohmann::ordered_json pairs_json(const std::vector<std::pair<std::string, std::string>>& pairs) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const auto& [name, value] : pairs) {
        object[name] = value;
    }
    return object;
}

}  // namespace

bool disqualified(const Verdict& v) {
    return std::any_of(v.flags.begin(), v.flags.end(),
                       [](const std::string& flag) { return flag != flag_reference_less_accurate; });
}

void conclude(Verdict& v) {
    const bool correct = v.status == Status::correct;
    const std::string excessive = "excessive_speedup>10.0x: audit";
    if (correct && v.speedup.value_or(0) > excessive_speedup &&
        std::find(v.flags.begin(), v.flags.end(), excessive) == v.flags.end()) {
        v.flags.push_back(excessive);
    }
    v.fast1_raw = correct && v.speedup.value_or(0) > 1;
    // Both clocks must say so. Verdicts of evaluators that had one clock have no second figure.
    v.fast1 = correct && v.speedup_lo95.value_or(0) > 1 && v.judge_speedup_lo95.value_or(2) > 1;
    v.success = v.fast1 && !disqualified(v);
    v.score = correct ? std::min(v.speedup.value_or(0), score_cap) : 0;
}

nlohmann::ordered_json to_json(const Verdict& v) {
    nlohmann::ordered_json stages = nlohmann::ordered_json::object();
    for (const StageTime& stage : v.stages) {
        stages[stage.name] = stage.seconds;
    }
    nlohmann::ordered_json json;
    json["id"] = v.id;
    json["created"] = v.created;
    json["kind"] = v.kind;
    json["problem"] = v.problem;
    json["problem_digest"] = v.problem_digest;
    json["candidate_digest"] = v.candidate_digest;
    json["label"] = v.label;
    json["status"] = to_string(v.status);
    json["message"] = v.message;
    json["ref_ms"] = optional_json(v.ref_ms);
    json["compile_ms"] = optional_json(v.compile_ms);
    json["cand_ms"] = optional_json(v.cand_ms);
    json["speedup"] = optional_json(v.speedup);
    json["speedup_mean"] = optional_json(v.speedup_mean);
    json["speedup_lo95"] = optional_json(v.speedup_lo95);
    json["speedup_hi95"] = optional_json(v.speedup_hi95);
    json["judge_speedup"] = optional_json(v.judge_speedup);
    json["judge_speedup_lo95"] = optional_json(v.judge_speedup_lo95);
    json["judge_speedup_hi95"] = optional_json(v.judge_speedup_hi95);
    json["speedup_vs_compile"] = optional_json(v.speedup_vs_compile);
    json["compile_note"] = v.compile_note;
    json["trials"] = v.trials;
    json["own_kernel_time_frac"] = optional_json(v.own_kernel_time_frac);
    json["fast1_raw"] = v.fast1_raw;
    json["fast1"] = v.fast1;
    json["success"] = v.success;
    json["score"] = v.score;
    json["flags"] = v.flags;
    json["notes"] = v.notes;
    json["agreement"] = v.agreement ? to_json(*v.agreement) : nlohmann::ordered_json(nullptr);
    json["precision"] = v.precision ? to_json(*v.precision) : nlohmann::ordered_json(nullptr);
    json["evaluator"] = v.evaluator;
    json["device"] = v.device;
    json["gpu"] = v.gpu;
    json["size"] = v.size;
    json["atol"] = v.atol;
    json["rtol"] = v.rtol;
    json["seed"] = v.seed;
    json["seeds"] = v.seeds;
    json["versions"] = pairs_json(v.versions);
    json["conditions"] = pairs_json(v.conditions);
    json["settings"] = pairs_json(v.settings);
    json["stages"] = stages;
    return json;
}

}  // namespace kbeval
