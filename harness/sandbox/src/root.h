#pragma once

#include "config.h"
#include "report.h"

namespace kbeval::sandbox {

/// Replaces the root by a read-only tmpfs that holds only what the configuration names. Needs a mount
/// namespace of its own; where the root can't be replaced at all, says so in `report` and leaves everything
/// as it was. Throws once something is half done.
void build_root(const Config& config, Report& report);

/// Sets the host name if the namespace is this process's own.
void set_hostname(const Config& config, Report& report);

/// A descriptor of /proc/self of the host's procfs, valid for the calling process; must be taken before
/// build_root.
int open_proc_self();

}  // namespace kbeval::sandbox
