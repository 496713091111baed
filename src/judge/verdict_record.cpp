#include "judge/verdict_record.h"

#include "base/clock.h"
#include "base/random_id.h"
#include "base/text.h"

namespace kbeval {

Verdict begin_verdict(const EvaluationRequest& request, const EvaluationContext& context) {
    Verdict v;
    v.id = random_id();
    v.created = utc_now();
    v.kind = request.timed ? "run" : "check";
    v.problem = request.problem.problem.id;
    v.problem_digest = request.problem.digest;
    v.candidate_digest = request.candidate.digest;
    v.label = request.label;
    v.evaluator = evaluator_digest(context.layout, request.settings);
    v.device = context.device.name();
    v.gpu = context.device.product();
    v.size = to_string(request.size);
    v.atol = request.settings.atol.value_or(request.problem.problem.atol);
    v.rtol = request.settings.rtol.value_or(request.problem.problem.rtol);
    v.seed = request.seed;
    v.seeds = request.settings.seeds;
    v.settings = settings_to_pairs(request.settings);
    for (const std::string& layer : request.settings.layers_off) {
        v.flags.push_back("layers_off:" + layer);
    }
    if (!context.device.driver().empty()) {
        v.versions.emplace_back("driver", context.device.driver());
    }
    return v;
}

void record_sandbox(Verdict& verdict, const nlohmann::json& report) {
    std::vector<std::string> missing;
    if (report.contains("missing") && report["missing"].is_array()) {
        for (const auto& item : report["missing"]) {
            missing.push_back(item.value("layer", "") + " (" + item.value("reason", "") + ")");
        }
    }
    verdict.conditions.emplace_back("sandbox",
                                    missing.empty() ? "complete" : "without " + join(missing, ", "));
}

void record_conditions(Verdict& verdict, Device& device) {
    if (const auto state = device.sample()) {
        verdict.conditions.emplace_back("sm_mhz", std::to_string(state->sm_mhz));
        verdict.conditions.emplace_back("memory_mhz", std::to_string(state->memory_mhz));
        verdict.conditions.emplace_back("temperature_c", std::to_string(state->temperature_c));
        verdict.conditions.emplace_back("power_w", std::to_string(state->power_w));
        verdict.conditions.emplace_back("throttle_reasons", std::to_string(state->throttle_reasons));
        verdict.conditions.emplace_back("compute_processes", std::to_string(state->compute_processes));
    }
}

}  // namespace kbeval
