#pragma once

#include "cli/options.h"
#include "cli/session.h"
#include "experiment/run.h"

namespace kbeval::cli {

/// Options of the judgements in a plan's episodes: the plan's seed counts, so there is neither --seed nor
/// --label.
void add_plan_options(CLI::App& command, EvaluateOptions& evaluate, AgentOptions& agents, bool& allow_leak);

/// Runs a plan, or carries it on where it ended. Whatever it needs is looked at before anything is stored or
/// run. Each episode is told on standard error unless `quiet`.
ExperimentProgress run_plan(const Plan& plan, Session& session, const AgentOptions& agents, bool allow_leak,
                            bool quiet);

}  // namespace kbeval::cli
