#pragma once

#include <nlohmann/json.hpp>

#include "judge/evaluation.h"

namespace kbeval {

/// A verdict with everything that is known before the evaluation begins, and a new id.
Verdict begin_verdict(const EvaluationRequest& request, const EvaluationContext& context);

/// Which layers of the sandbox are missing, from the report of the candidate's runner.
void record_sandbox(Verdict& verdict, const nlohmann::json& report);

/// Clocks, temperature and power of the device now, where it can tell.
void record_conditions(Verdict& verdict, Device& device);

}  // namespace kbeval
