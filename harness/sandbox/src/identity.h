#pragma once

#include "config.h"
#include "namespaces.h"
#include "report.h"

namespace kbeval::sandbox {

/// Gives up what the caller was: a root caller becomes the configured user, in a user namespace of its own
/// where that can be had; every capability goes. `proc_self` is a descriptor of this process's /proc/self, or
/// -1.
void drop_identity(const Config& config, const Caller& caller, int proc_self, Report& report);

/// The same without a user namespace or report, for the init process that stays beside the runner.
void drop_init_identity(const Config& config, const Caller& caller);

/// no_new_privs, and not dumpable unless configured.
void forbid_new_privileges(const Config& config, Report& report);

}  // namespace kbeval::sandbox
