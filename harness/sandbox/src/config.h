#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kbeval::sandbox {

/// Absent means unlimited.
struct Limits {
    std::optional<std::uint64_t> processes;     ///< processes and threads inside, together
    std::optional<std::uint64_t> memory_bytes;  ///< cgroup memory.max; RLIMIT_DATA where there is no cgroup
    std::optional<std::uint64_t> data_bytes;    ///< RLIMIT_DATA (private writable memory of each process)
    std::optional<std::uint64_t> file_bytes;    ///< RLIMIT_FSIZE
    std::optional<std::uint64_t> open_files;    ///< RLIMIT_NOFILE
    std::optional<std::uint64_t> stack_bytes;   ///< RLIMIT_STACK
    std::optional<std::uint64_t> cpu_seconds;   ///< RLIMIT_CPU, of each process
};

struct Config {
    std::vector<std::string> ro_paths;
    std::vector<std::string> rw_paths;
    std::vector<std::string> hide_paths;
    std::vector<std::string> device_paths;
    std::vector<int> keep_fds;  ///< sorted, unique
    uid_t uid = 65534;          ///< used only where the caller is root
    gid_t gid = 65534;
    std::uint64_t tmp_bytes = std::uint64_t{1} << 30U;  ///< of /tmp and of /dev/shm, each
    std::string cwd = "/";
    std::map<std::string, std::string> env;
    std::string hostname = "kbeval";
    bool dumpable = false;
    bool allow_netlink = false;
    bool legacy_remount =
        false;  ///< remount one by one, as on kernels before 5.12, even if mount_setattr exists
    std::optional<int>
        control_fd;  ///< stream socket over which init is told to freeze and thaw; see freezer.h
    std::optional<std::string> cgroup_parent;
    std::vector<std::string> required;
    Limits limits;
};

/// Parses and checks a configuration; throws SandboxError(EINVAL) that names the key and the rule.
Config parse_config(const char* json);

}  // namespace kbeval::sandbox
