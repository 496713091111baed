#pragma once

#include <sys/types.h>

#include "config.h"
#include "report.h"

namespace kbeval::sandbox {

struct Caller {
    bool privileged = false;  ///< root that may mount and may become the configured user
    uid_t uid = 0;
    gid_t gid = 0;
};

/// Root without the needed capabilities, or in a user namespace that lacks the configured user, is not
/// privileged.
Caller identify_caller(const Config& config);

/// Throws unless /proc/self/task shows one thread: unshare and fork would leave the others behind,
/// unconfined.
void check_single_threaded();

/// Maps one id to itself in the user namespace that this process just made; `proc_self` is a descriptor of
/// its /proc/self. Throws on failure: a process with no mapping is of no use.
void map_identity(int proc_self, uid_t inside_uid, uid_t outside_uid, gid_t inside_gid, gid_t outside_gid);

/// Leaves every namespace that can be left. A privileged caller keeps its user namespace for now, as it needs
/// its rights to build the root; see drop_identity.
void leave_namespaces(const Caller& caller, Report& report);

}  // namespace kbeval::sandbox
