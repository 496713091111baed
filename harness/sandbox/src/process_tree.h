#pragma once

#include "cgroup.h"
#include "config.h"
#include "namespaces.h"
#include "report.h"

namespace kbeval::sandbox {

/// Splits the calling process into supervisor, init and runner, and returns in the runner only:
///
///     supervisor (the caller)  waits for init and ends as the runner ended
///       init (PID 1 inside)    reaps orphans; ends with the runner, and the kernel kills whatever is left
///       inside
///         runner (PID 2)       returns from here
///
/// When the supervisor dies the kernel kills init, and with it everything inside. Throws in whichever process
/// could not go on; a process that throws must end.
void split_processes(const Config& config, const Caller& caller, Cgroup& cgroup, Report& report);

}  // namespace kbeval::sandbox
