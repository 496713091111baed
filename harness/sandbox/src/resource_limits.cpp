#include "resource_limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "error.h"

namespace kbeval::sandbox {
namespace {

using Resource = decltype(RLIMIT_CORE);

void set_limit(Resource resource, const char* name, std::uint64_t value) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0) {
        throw_errno(std::string("getrlimit ") + name);
    }
    limit.rlim_max = std::min<rlim_t>(limit.rlim_max, value);  // a hard limit can only be lowered
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(resource, &limit) != 0) {
        throw_errno(std::string("setrlimit ") + name);
    }
}

void set_optional(Resource resource, const char* name, const std::optional<std::uint64_t>& value) {
    if (value) {
        set_limit(resource, name, *value);
    }
}

}  // namespace

void set_limits(const Config& config, Report& report) {
    const Limits& limits = config.limits;
    set_optional(RLIMIT_FSIZE, "RLIMIT_FSIZE", limits.file_bytes);
    set_optional(RLIMIT_NOFILE, "RLIMIT_NOFILE", limits.open_files);
    set_optional(RLIMIT_STACK, "RLIMIT_STACK", limits.stack_bytes);
    set_optional(RLIMIT_CPU, "RLIMIT_CPU", limits.cpu_seconds);
    if (limits.processes) {
        set_limit(RLIMIT_NPROC, "RLIMIT_NPROC", *limits.processes);
        if (report.has("uid_dropped")) {
            report.have("nproc_limit");
        } else {
            report.miss("nproc_limit", "RLIMIT_NPROC is set, but does not bind root");
        }
    } else {
        report.miss("nproc_limit", "not configured: limits.processes");
    }
    auto data = limits.data_bytes;
    if (!data && !report.has("cgroup_memory")) {
        data = limits.memory_bytes;
    }
    set_optional(RLIMIT_DATA, "RLIMIT_DATA", data);
    if (data) {
        report.have("data_limit");
    } else {
        report.miss("data_limit", limits.memory_bytes ? "not needed: the cgroup limits memory"
                                                      : "not configured: limits.data_bytes or memory_bytes");
    }
    forbid_core_dumps();
}

// One byte, not none: with 0 the kernel still starts a core_pattern helper, with 1 it does not.
void forbid_core_dumps() {
    set_limit(RLIMIT_CORE, "RLIMIT_CORE", 1);
}

}  // namespace kbeval::sandbox
