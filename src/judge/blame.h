#pragma once

#include <string>

#include "judge/evaluation.h"
#include "runner/failure.h"
#include "verdict/status.h"

namespace kbeval {

/// A failure as the verdict states it.
struct Blame {
    Status status = Status::infra_error;
    std::string message;
};

/// What a runner's failure in `stage` means. A candidate's failure is its own; that of any other runner is
/// the machine's or the problem's, and no candidate's fault. `log` is what the runner printed.
Blame blame(const RunnerFailure& failure, const std::string& stage, const Settings& settings,
            const std::string& log);

}  // namespace kbeval
