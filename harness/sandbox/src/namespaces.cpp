#include "namespaces.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "capabilities.h"
#include "descriptors.h"
#include "error.h"

namespace kbeval::sandbox {
namespace {

struct Namespace {
    const char* layer;
    int flag;
};

constexpr std::array<Namespace, 6> kNamespaces = {{{"mount_ns", CLONE_NEWNS},
                                                   {"pid_ns", CLONE_NEWPID},
                                                   {"net_ns", CLONE_NEWNET},
                                                   {"ipc_ns", CLONE_NEWIPC},
                                                   {"uts_ns", CLONE_NEWUTS},
                                                   {"cgroup_ns", CLONE_NEWCGROUP}}};

/// Whether an id exists in this process's user namespace; lines of the map are "first outside count".
bool is_mapped(const char* map, std::uint64_t id) {
    std::ifstream file(map);
    std::uint64_t first = 0;
    std::uint64_t outside = 0;
    std::uint64_t count = 0;
    while (file >> first >> outside >> count) {
        if (id >= first && id - first < count) {
            return true;
        }
    }
    return false;
}

void enter_user_namespace(const Caller& caller, Report& report) {
    const UniqueFd proc_self(::open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!proc_self.valid()) {
        report.miss("user_ns", "/proc/self: " + errno_text(errno));
        return;
    }
    if (::unshare(CLONE_NEWUSER) != 0) {
        report.miss("user_ns", "unshare(CLONE_NEWUSER): " + errno_text(errno));
        return;
    }
    map_identity(proc_self.get(), caller.uid, caller.uid, caller.gid, caller.gid);
    report.have("user_ns");
}

}  // namespace

Caller identify_caller(const Config& config) {
    constexpr std::uint64_t kNeeded = (1ULL << CAP_SYS_ADMIN) | (1ULL << CAP_SETUID) | (1ULL << CAP_SETGID) |
                                      (1ULL << CAP_SETPCAP) | (1ULL << CAP_DAC_OVERRIDE) | (1ULL << CAP_KILL);
    const bool privileged = ::geteuid() == 0 && (effective_capabilities() & kNeeded) == kNeeded &&
                            is_mapped("/proc/self/uid_map", config.uid) &&
                            is_mapped("/proc/self/gid_map", config.gid);
    return {privileged, ::geteuid(), ::getegid()};
}

void check_single_threaded() {
    const std::unique_ptr<DIR, int (*)(DIR*)> tasks(::opendir("/proc/self/task"), &::closedir);
    if (!tasks) {
        throw_errno("/proc/self/task (needed to see that the caller has one thread)");
    }
    int threads = 0;
    while (const dirent* entry = ::readdir(tasks.get())) {  // NOLINT(concurrency-mt-unsafe)
        threads += entry->d_name[0] != '.' ? 1 : 0;
    }
    if (threads != 1) {
        throw SandboxError(EINVAL, "the calling process has " + std::to_string(threads) +
                                       " threads; enter the sandbox right after fork, with one");
    }
}

void map_identity(int proc_self, uid_t inside_uid, uid_t outside_uid, gid_t inside_gid, gid_t outside_gid) {
    const auto write = [proc_self](const char* name, const std::string& text) {
        if (const int error = write_file_at(proc_self, name, text); error != 0) {
            throw_errno(std::string("writing /proc/self/") + name, error);
        }
    };
    write("setgroups", "deny");
    write("uid_map", std::to_string(inside_uid) + " " + std::to_string(outside_uid) + " 1\n");
    write("gid_map", std::to_string(inside_gid) + " " + std::to_string(outside_gid) + " 1\n");
}

void leave_namespaces(const Caller& caller, Report& report) {
    if (!caller.privileged) {
        enter_user_namespace(caller, report);
    }
    for (const auto& each : kNamespaces) {
        if (::unshare(each.flag) == 0) {
            report.have(each.layer);
        } else {
            report.miss(each.layer, "unshare: " + errno_text(errno));
        }
    }
}

}  // namespace kbeval::sandbox
