#include "identity.h"

#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "capabilities.h"
#include "error.h"

namespace kbeval::sandbox {
namespace {

void change_user(const Config& config) {
    if (::setgroups(0, nullptr) != 0) {
        throw_errno("setgroups");
    }
    if (::setresgid(config.gid, config.gid, config.gid) != 0) {
        throw_errno("setresgid");
    }
    if (::setresuid(config.uid, config.uid, config.uid) != 0) {
        throw_errno("setresuid");
    }
}

/// A user namespace around the new user counts its processes apart from those of other sandboxes, and its
/// rights, were they ever regained, would hold over nothing: mounts and the other namespaces belong to the
/// parent namespace.
void enter_own_user_namespace(const Config& config, int proc_self, Report& report) {
    if (proc_self < 0) {
        report.miss("user_ns", "/proc/self of the host can't be opened");
        return;
    }
    if (::unshare(CLONE_NEWUSER) != 0) {
        report.miss("user_ns", "unshare(CLONE_NEWUSER): " + errno_text(errno));
        return;
    }
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // else /proc/self belongs to root and the maps can't be written
    map_identity(proc_self, config.uid, config.uid, config.gid, config.gid);
    report.have("user_ns");
}

}  // namespace

void drop_identity(const Config& config, const Caller& caller, int proc_self, Report& report) {
    if (caller.privileged) {
        if (::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) {
            throw_errno("prctl(PR_SET_KEEPCAPS)");
        }
        change_user(config);
        // Where unprivileged user namespaces are restricted, the right to make one is CAP_SYS_ADMIN.
        raise_permitted_capabilities();
        ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
        enter_own_user_namespace(config, proc_self, report);
    }
    drop_all_capabilities(report);
    uid_t real = 0;
    uid_t effective = 0;
    uid_t saved = 0;
    if (::getresuid(&real, &effective, &saved) != 0 || real != effective || real != saved) {
        throw SandboxError(EPERM, "real, effective and saved user differ");
    }
    if (caller.privileged ? real == config.uid : caller.uid != 0) {
        report.have("uid_dropped");
    } else {
        report.miss("uid_dropped", "the caller is root, but can't become another user here");
    }
    report.set_identity(real, ::getegid());
}

void drop_init_identity(const Config& config, const Caller& caller) {
    Report ignored;
    if (caller.privileged) {
        change_user(config);
    } else {
        drop_all_capabilities(ignored);
    }
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void forbid_new_privileges(const Config& config, Report& report) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        throw_errno("prctl(PR_SET_NO_NEW_PRIVS)");
    }
    report.have("no_new_privs");
    if (config.dumpable) {
        report.miss("not_dumpable", "configured: dumpable");
    } else if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
        throw_errno("prctl(PR_SET_DUMPABLE)");
    } else {
        report.have("not_dumpable");
    }
}

}  // namespace kbeval::sandbox
