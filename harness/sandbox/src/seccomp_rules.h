#pragma once

#include <vector>

#include "config.h"
#include "report.h"
#include "seccomp_filter.h"

namespace kbeval::sandbox {

/// The system calls that are refused inside. docs/sandbox.md says why.
std::vector<SeccompRule> refused_calls(const Config& config);

/// Loads the filter; once it holds it can't be taken off.
void enter_seccomp(const Config& config, Report& report);

}  // namespace kbeval::sandbox
