#pragma once

#include "config.h"
#include "report.h"

namespace kbeval::sandbox {

/// Sets the resource limits. Must run after the user namespace is made: the kernel bounds a namespace's
/// process count by the limit that held when it was made, and that one belongs to the whole machine.
void set_limits(const Config& config, Report& report);

/// No core file, and no core-dump helper either.
void forbid_core_dumps();

}  // namespace kbeval::sandbox
