#include "mounts.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "descriptors.h"
#include "error.h"

namespace kbeval::sandbox {
namespace {

constexpr unsigned long kReadOnly = MS_RDONLY;
constexpr unsigned long kNoDevices = MS_NODEV;
constexpr unsigned long kNoExec = MS_NOEXEC;

/// mountinfo writes space, tab, newline and backslash as \ooo.
std::string unescape(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size()) {
            result += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
            i += 3;
        } else {
            result += text[i];
        }
    }
    return result;
}

/// The mount points at and below `target`.
std::vector<std::string> mounts_at(const std::string& mountinfo, const std::string& target) {
    std::ifstream file(mountinfo);
    if (!file) {
        throw SandboxError(ENOENT, mountinfo + ": can't be read, and mount_setattr is not available");
    }
    std::vector<std::string> result;
    for (std::string line; std::getline(file, line);) {
        std::istringstream fields(line);
        std::string skipped;
        std::string point;
        fields >> skipped >> skipped >> skipped >> skipped >> point;
        point = unescape(point);
        if (point == target || point.starts_with(target == "/" ? target : target + "/")) {
            result.push_back(point);
        }
    }
    return result;
}

/// The flags that a remount must repeat, as it would otherwise try to clear them.
unsigned long current_flags(const std::string& path) {
    struct statvfs info {};
    if (::statvfs(path.c_str(), &info) != 0) {
        throw_errno("statvfs " + path);
    }
    constexpr std::array<std::pair<unsigned long, unsigned long>, 7> kFlags = {
        {{ST_RDONLY, MS_RDONLY},
         {ST_NOSUID, MS_NOSUID},
         {ST_NODEV, MS_NODEV},
         {ST_NOEXEC, MS_NOEXEC},
         {ST_NOATIME, MS_NOATIME},
         {ST_NODIRATIME, MS_NODIRATIME},
         {ST_RELATIME, MS_RELATIME}}};
    unsigned long flags = 0;
    for (const auto& [seen, wanted] : kFlags) {
        flags |= (info.f_flag & seen) != 0 ? wanted : 0;
    }
    return flags;
}

}  // namespace

void MountProtector::protect(const std::string& target, const MountProtection& protection,
                             bool recursive) const {
    if (!legacy_) {
        mount_attr attributes{};
        attributes.attr_set = MOUNT_ATTR_NOSUID | (protection.read_only ? MOUNT_ATTR_RDONLY : 0U) |
                              (protection.no_devices ? MOUNT_ATTR_NODEV : 0U) |
                              (protection.no_exec ? MOUNT_ATTR_NOEXEC : 0U);
        const unsigned flags = recursive ? AT_RECURSIVE : 0U;
        if (::syscall(SYS_mount_setattr, AT_FDCWD, target.c_str(), flags, &attributes, sizeof(attributes)) ==
            0) {
            return;
        }
        if (errno != ENOSYS && errno != EPERM) {  // EPERM: an outer seccomp filter that does not know it
            throw_errno("mount_setattr " + target);
        }
    }
    remount_each(target, protection, recursive);
}

void MountProtector::remount_each(const std::string& target, const MountProtection& protection,
                                  bool recursive) const {
    unsigned long added = MS_NOSUID;
    added |= protection.read_only ? kReadOnly : 0UL;
    added |= protection.no_devices ? kNoDevices : 0UL;
    added |= protection.no_exec ? kNoExec : 0UL;
    const auto points = recursive ? mounts_at(mountinfo_, target) : std::vector<std::string>{target};
    for (const auto& point : points) {
        const unsigned long flags = MS_REMOUNT | MS_BIND | current_flags(point) | added;
        if (::mount(nullptr, point.c_str(), nullptr, flags, nullptr) != 0) {
            throw_errno("remounting " + point);
        }
    }
}

void bind_mount(const std::string& source, const std::string& target) {
    if (::mount(source.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
        throw_errno("binding " + source + " to " + target);
    }
}

void mount_tmpfs(const std::string& target, mode_t mode, std::uint64_t bytes, std::uint64_t inodes) {
    std::array<char, 96> options{};
    std::snprintf(options.data(), options.size(), "mode=%04o,size=%llu,nr_inodes=%llu",
                  static_cast<unsigned>(mode), static_cast<unsigned long long>(bytes),
                  static_cast<unsigned long long>(inodes));
    if (::mount("tmpfs", target.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.data()) != 0) {
        throw_errno("mounting a tmpfs on " + target);
    }
}

void make_directories(const std::string& path) {
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const std::string part = path.substr(0, slash);
        if (::mkdir(part.c_str(), 0755) != 0 && errno != EEXIST) {
            // A folder that exists on a read-only file system may be refused as EROFS instead of EEXIST.
            const int error = errno;
            struct stat info {};
            if (::stat(part.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
                throw_errno("making folder " + part, error);
            }
        }
        if (slash == std::string::npos) {
            return;
        }
    }
}

void make_mount_point(const std::string& path, bool directory) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) == directory) {
        return;
    }
    if (directory) {
        make_directories(path);
        return;
    }
    if (const auto slash = path.rfind('/'); slash != 0) {
        make_directories(path.substr(0, slash));
    }
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444));
    if (!file.valid()) {
        throw_errno("making file " + path);
    }
}

}  // namespace kbeval::sandbox
