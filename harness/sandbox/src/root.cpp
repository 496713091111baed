#include "root.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

#include "descriptors.h"
#include "error.h"
#include "mounts.h"
#include "path_plan.h"

namespace kbeval::sandbox {
namespace {

constexpr const char* kHostRoot = "/.host";
constexpr const char* kEmptyFile = "/.empty";
constexpr std::uint64_t kSmallTmpfsBytes = std::uint64_t{1} << 20U;
constexpr std::uint64_t kSmallTmpfsInodes = 16384;

bool exists(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

/// Mounts a tmpfs and makes it the root, with the host's at kHostRoot. Returns "" or why it can't be done.
std::string switch_to_tmpfs() {
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        return "making mounts private: " + errno_text(errno);
    }
    std::string reason = "no folder to mount on";
    for (const std::string base : {"/tmp", "/mnt", "/run", "/var"}) {
        if (!exists(base)) {
            continue;
        }
        try {
            mount_tmpfs(base, 0755, kSmallTmpfsBytes, kSmallTmpfsInodes);
        } catch (const SandboxError& error) {
            reason = error.what();
            continue;
        }
        const std::string old_root = base + kHostRoot;
        if (::mkdir(old_root.c_str(), 0700) == 0 &&
            ::syscall(SYS_pivot_root, base.c_str(), old_root.c_str()) == 0 && ::chdir("/") == 0) {
            return "";
        }
        reason = "pivot_root to " + base + ": " + errno_text(errno);
        ::umount2(base.c_str(), MNT_DETACH);
    }
    return reason;
}

class RootBuilder {
  public:
    RootBuilder(const Config& config, Report& report)
        : config_(config),
          report_(report),
          host_(kHostRoot),
          protector_(host_ + "/proc/self/mountinfo", config.legacy_remount) {}

    void build() {
        make_mount_point(kEmptyFile, false);
        make_dev();
        const PathPlan plan = plan_paths(config_, host_, report_);
        for (const auto& mount : plan.mounts) {
            make_planned(mount);
        }
        for (const auto& link : plan.links) {
            make_link(link);
        }
        make_account_files();
        make_proc();
        make_sys();
        finish(plan);
    }

  private:
    void bind(const std::string& path, const MountProtection& protection) {
        bind_mount(host_ + path, path);
        protector_.protect(path, protection, true);
    }

    void make_device(const std::string& path) {
        struct stat info {};
        if (::lstat((host_ + path).c_str(), &info) != 0) {
            report_.skip_path(path, errno_text(errno));
            return;
        }
        make_mount_point(path, S_ISDIR(info.st_mode));
        // Read-only protects owner and mode of the node; reading and writing the device itself is not
        // affected.
        bind(path, {.read_only = true, .no_devices = false, .no_exec = true});
    }

    void make_dev() {
        make_directories("/dev");
        mount_tmpfs("/dev", 0755, kSmallTmpfsBytes, kSmallTmpfsInodes);
        for (const std::string name : {"null", "zero", "full", "random", "urandom"}) {
            make_device("/dev/" + name);
        }
        for (const auto& path : config_.device_paths) {
            make_device(path);
        }
        constexpr std::array<std::pair<const char*, const char*>, 4> kLinks = {
            {{"/proc/self/fd", "/dev/fd"},
             {"/proc/self/fd/0", "/dev/stdin"},
             {"/proc/self/fd/1", "/dev/stdout"},
             {"/proc/self/fd/2", "/dev/stderr"}}};
        for (const auto& [target, location] : kLinks) {
            if (::symlink(target, location) != 0) {
                throw_errno(std::string("making link ") + location);
            }
        }
    }

    void make_planned(const PlannedMount& mount) {
        make_mount_point(mount.path, mount.directory);
        switch (mount.kind) {
            case MountKind::kTmpfs:
                // One inode for each page, so that neither runs out much before the other; bounded, as inodes
                // are kernel memory.
                mount_tmpfs(mount.path, 01777, config_.tmp_bytes,
                            std::clamp<std::uint64_t>(config_.tmp_bytes / 4096, 1024, 1U << 20U));
                break;
            case MountKind::kReadOnly:
                bind(mount.path, {.read_only = true});
                break;
            case MountKind::kReadWrite:
                bind(mount.path, {});
                break;
            case MountKind::kHide:
                hide(mount.path, mount.directory);
                break;
        }
    }

    /// A folder stays writable until finish(), as a later mount may need a mount point in it.
    void hide(const std::string& path, bool directory) {
        if (directory) {
            mount_tmpfs(path, 0755, kSmallTmpfsBytes, kSmallTmpfsInodes);
        } else {
            bind_mount(kEmptyFile, path);
            protector_.protect(path, {.read_only = true}, false);
        }
    }

    void make_link(const PlannedLink& link) {
        if (const auto slash = link.location.rfind('/'); slash != 0) {
            make_directories(link.location.substr(0, slash));
        }
        if (::symlink(link.target.c_str(), link.location.c_str()) != 0 && errno != EEXIST) {
            throw_errno("making link " + link.location);
        }
    }

    /// Programs ask for the name of their user; without these files they fail.
    void make_account_files() {
        if (exists("/etc/passwd") || exists("/etc/group")) {
            return;
        }
        const bool root_caller = ::geteuid() == 0;
        const auto uid = std::to_string(root_caller ? config_.uid : ::geteuid());
        const auto gid = std::to_string(root_caller ? config_.gid : ::getegid());
        make_directories("/etc");
        std::ofstream("/etc/passwd") << "kbeval:x:" << uid << ":" << gid << "::" << config_.cwd
                                     << ":/bin/sh\n";
        std::ofstream("/etc/group") << "kbeval:x:" << gid << ":\n";
    }

    void make_proc() {
        make_directories("/proc");
        const bool own = report_.has("pid_ns");
        const char* options = own ? nullptr : "hidepid=2";
        if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) != 0) {
            report_.miss("proc", "a fresh procfs can't be mounted, /proc is empty: " + errno_text(errno));
            return;
        }
        for (const std::string name :
             {"kcore", "keys", "key-users", "sysrq-trigger", "timer_list", "sched_debug", "latency_stats",
              "kmsg", "kpagecount", "kpageflags", "kpagecgroup"}) {
            if (exists("/proc/" + name)) {
                hide("/proc/" + name, false);
            }
        }
        for (const std::string name : {"sys", "irq", "bus", "fs", "acpi", "scsi"}) {
            const std::string path = "/proc/" + name;
            if (exists(path)) {
                bind_mount(path, path);
                protector_.protect(path, {.read_only = true, .no_exec = true}, true);
            }
        }
        if (own) {
            report_.have("proc");
        } else {
            report_.miss("proc", "no PID namespace: /proc shows the machine's own processes of this user");
        }
    }

    void make_sys() {
        if (!exists(host_ + "/sys/kernel")) {
            report_.miss("sys", "the host has no sysfs");
            return;
        }
        make_directories("/sys");
        bind("/sys", {.read_only = true, .no_exec = true});
        report_.have("sys");
    }

    void finish(const PathPlan& plan) {
        for (const auto& mount : plan.mounts) {
            if (mount.kind == MountKind::kHide && mount.directory) {
                protector_.protect(mount.path, {.read_only = true, .no_exec = true}, false);
            }
        }
        if (::unlink(kEmptyFile) != 0) {
            throw_errno("removing the empty file");
        }
        protector_.protect("/dev", {.read_only = true, .no_exec = true}, false);
        if (::umount2(kHostRoot, MNT_DETACH) != 0 || ::rmdir(kHostRoot) != 0) {
            throw_errno("detaching the host's root");
        }
        protector_.protect("/", {.read_only = true}, false);
        report_.have("read_only_root");
    }

    const Config& config_;
    Report& report_;
    std::string host_;
    MountProtector protector_;
};

}  // namespace

void build_root(const Config& config, Report& report) {
    if (!report.has("mount_ns")) {
        for (const char* layer : {"read_only_root", "proc", "sys"}) {
            report.miss(layer, "no mount namespace");
        }
        return;
    }
    const mode_t mask = ::umask(022);
    if (const std::string reason = switch_to_tmpfs(); reason.empty()) {
        RootBuilder(config, report).build();
    } else {
        for (const char* layer : {"read_only_root", "proc", "sys"}) {
            report.miss(layer, reason);
        }
    }
    ::umask(mask);
}

void set_hostname(const Config& config, Report& report) {
    if (report.has("uts_ns") && ::sethostname(config.hostname.data(), config.hostname.size()) != 0) {
        throw_errno("sethostname");
    }
}

int open_proc_self() {
    return ::open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

}  // namespace kbeval::sandbox
