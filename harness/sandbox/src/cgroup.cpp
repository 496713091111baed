#include "cgroup.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "error.h"

namespace kbeval::sandbox {
namespace {

/// The folder of this process's own cgroup v2 group, or "".
std::string own_group() {
    std::ifstream mounts("/proc/self/mountinfo");
    std::string mount_point;
    for (std::string line; std::getline(mounts, line) && mount_point.empty();) {
        if (line.find(" - cgroup2 ") != std::string::npos) {
            std::istringstream fields(line);
            for (int field = 0; field < 5; ++field) {
                fields >> mount_point;
            }
        }
    }
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        if (!mount_point.empty() && line.starts_with("0::/")) {
            return mount_point + line.substr(3);
        }
    }
    return "";
}

void miss_both(Report& report, const std::string& reason) {
    report.miss("cgroup_pids", reason);
    report.miss("cgroup_memory", reason);
}

}  // namespace

void Cgroup::create(const Config& config, Report& report) {
    if (!config.limits.processes && !config.limits.memory_bytes) {
        miss_both(report, "not configured: limits.processes, limits.memory_bytes");
        return;
    }
    const std::string parent = config.cgroup_parent ? *config.cgroup_parent : own_group();
    if (parent.empty()) {
        miss_both(report, "no cgroup v2 hierarchy is mounted");
        return;
    }
    if (!open_group(parent, report)) {
        return;
    }
    limit("cgroup_pids", "pids.max", config.limits.processes, report);
    limit("cgroup_memory", "memory.max", config.limits.memory_bytes, report);
    if (!report.has("cgroup_pids") && !report.has("cgroup_memory")) {
        processes_.reset();
        remove();
        return;
    }
    write_file_at(group_.get(), "memory.swap.max", "0");  // absent where swap accounting is off
    report.set_cgroup(parent + "/" + name_);
}

bool Cgroup::open_group(const std::string& parent, Report& report) {
    parent_ = UniqueFd(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct statfs info {};
    if (!parent_.valid() || ::fstatfs(parent_.get(), &info) != 0) {
        miss_both(report, parent + ": " + errno_text(errno));
        return false;
    }
    if (info.f_type != CGROUP2_SUPER_MAGIC) {
        miss_both(report, parent + ": is no cgroup v2 folder");
        return false;
    }
    // May be on already, or be refused where the parent holds processes; the files below tell.
    write_file_at(parent_.get(), "cgroup.subtree_control", "+pids");
    write_file_at(parent_.get(), "cgroup.subtree_control", "+memory");
    const std::string name = "kbeval-" + std::to_string(::getpid());
    if (::mkdirat(parent_.get(), name.c_str(), 0755) != 0) {
        miss_both(report, "making " + parent + "/" + name + ": " + errno_text(errno));
        return false;
    }
    name_ = name;
    group_ = UniqueFd(::openat(parent_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    processes_ = UniqueFd(::openat(group_.get(), "cgroup.procs", O_WRONLY | O_CLOEXEC));
    if (!processes_.valid()) {
        miss_both(report, parent + "/" + name + "/cgroup.procs: " + errno_text(errno));
        remove();
        return false;
    }
    return true;
}

void Cgroup::limit(const char* layer, const char* file, const std::optional<std::uint64_t>& value,
                   Report& report) {
    if (!value) {
        report.miss(layer, "not configured");
        return;
    }
    if (const int error = write_file_at(group_.get(), file, std::to_string(*value)); error != 0) {
        report.miss(layer,
                    std::string(file) + ": " + errno_text(error) + " (is the controller enabled there?)");
        return;
    }
    report.have(layer);
}

void Cgroup::join(Report& report) const {
    if (processes_.valid() && ::write(processes_.get(), "0", 1) != 1) {
        miss_both(report, "joining the cgroup: " + errno_text(errno));
    }
}

std::vector<int> Cgroup::removal_descriptors() const {
    return parent_.valid() ? std::vector<int>{parent_.get()} : std::vector<int>{};
}

void Cgroup::remove() noexcept {
    if (!name_.empty()) {
        ::unlinkat(parent_.get(), name_.c_str(), AT_REMOVEDIR);
        name_.clear();
    }
}

}  // namespace kbeval::sandbox
