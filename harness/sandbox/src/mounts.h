#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace kbeval::sandbox {

/// Mount properties to add. None is ever removed: in a user namespace the host's are locked.
struct MountProtection {
    bool read_only = false;
    bool no_devices = true;
    bool no_exec = false;
};

/// Adds properties (and nosuid, always) to mounts. Uses mount_setattr, or a remount of each mount where that
/// is missing.
class MountProtector {
  public:
    /// `mountinfo` is the path of a /proc/self/mountinfo, read only where mount_setattr is missing.
    MountProtector(std::string mountinfo, bool legacy) : mountinfo_(std::move(mountinfo)), legacy_(legacy) {}

    /// Of the mount at `target`, and with `recursive` of all mounts below it. Throws on failure.
    void protect(const std::string& target, const MountProtection& protection, bool recursive) const;

  private:
    void remount_each(const std::string& target, const MountProtection& protection, bool recursive) const;

    std::string mountinfo_;
    bool legacy_;
};

/// Binds `source` with everything mounted below it; throws on failure.
void bind_mount(const std::string& source, const std::string& target);

/// Mounts an empty tmpfs; `bytes` and `inodes` are its limits. Throws on failure.
void mount_tmpfs(const std::string& target, mode_t mode, std::uint64_t bytes, std::uint64_t inodes);

/// mkdir -p with mode 0755; throws on failure.
void make_directories(const std::string& path);

/// Makes sure that something of the right kind is at `path` to mount over: a folder, or an empty file.
void make_mount_point(const std::string& path, bool directory);

}  // namespace kbeval::sandbox
