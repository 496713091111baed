#include "path_plan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <deque>
#include <map>
#include <sstream>

#include "error.h"

namespace kbeval::sandbox {
namespace {

struct Resolved {
    int error = 0;
    std::string path;
    bool directory = false;
    std::vector<PlannedLink> links;  ///< every link that was followed
};

void prepend_components(std::deque<std::string>& components, const std::string& path) {
    std::deque<std::string> parts;
    std::istringstream stream(path);
    for (std::string part; std::getline(stream, part, '/');) {
        if (!part.empty() && part != ".") {
            parts.push_back(part);
        }
    }
    components.insert(components.begin(), parts.begin(), parts.end());
}

/// Follows links as the kernel would if `host_root` were the root. The kernel's own walk can't be used: an
/// absolute link would start from the new root.
Resolved resolve(const std::string& host_root, const std::string& path) {
    constexpr std::size_t kMaxLinks = 40;
    Resolved result;
    std::deque<std::string> todo;
    prepend_components(todo, path);
    struct stat info {};
    while (!todo.empty()) {
        const std::string component = todo.front();
        todo.pop_front();
        if (component == "..") {
            result.path.resize(result.path.empty() ? 0 : result.path.rfind('/'));
            continue;
        }
        const std::string next = result.path + "/" + component;
        if (::lstat((host_root + next).c_str(), &info) != 0) {
            result.error = errno;
            return result;
        }
        if (!S_ISLNK(info.st_mode)) {
            result.path = next;
            continue;
        }
        std::array<char, PATH_MAX> target{};
        const auto length = ::readlink((host_root + next).c_str(), target.data(), target.size() - 1);
        if (length <= 0 || result.links.size() == kMaxLinks) {
            result.error = length < 0 ? errno : ELOOP;
            return result;
        }
        result.links.push_back({next, std::string(target.data(), static_cast<std::size_t>(length))});
        prepend_components(todo, result.links.back().target);
        if (target[0] == '/') {
            result.path.clear();
        }
    }
    result.directory = ::lstat((host_root + result.path).c_str(), &info) == 0 && S_ISDIR(info.st_mode);
    return result;
}

bool is_below(const std::string& path, const std::string& tree) {
    return path.starts_with(tree + "/");
}

/// Trees that the sandbox makes itself; a link may lead there although config.cc refuses such a path.
bool is_reserved(const std::string& path) {
    const bool device = path == "/dev" || (is_below(path, "/dev") && !is_below(path, "/dev/shm"));
    return path.empty() || device || path == "/proc" || is_below(path, "/proc") || path == "/sys" ||
           is_below(path, "/sys");
}

using MountsByPath = std::map<std::string, PlannedMount>;

/// The planned mount that `path` lies in (not one at `path` itself), or null.
const PlannedMount* nearest_above(const MountsByPath& mounts, std::string path) {
    while (true) {
        const auto slash = path.rfind('/');
        if (slash == std::string::npos || slash == 0) {
            return nullptr;
        }
        path.resize(slash);
        if (const auto found = mounts.find(path); found != mounts.end()) {
            return &found->second;
        }
    }
}

bool is_bind(const PlannedMount* mount) {
    return mount != nullptr && (mount->kind == MountKind::kReadOnly || mount->kind == MountKind::kReadWrite);
}

class Planner {
  public:
    Planner(std::string host_root, Report& report) : host_root_(std::move(host_root)), report_(report) {
        for (const char* path : {"/tmp", "/dev/shm"}) {
            mounts_.insert_or_assign(path, PlannedMount{path, MountKind::kTmpfs, true});
        }
    }

    void add(const std::vector<std::string>& paths, MountKind kind) {
        for (const auto& path : paths) {
            add(path, kind);
        }
    }

    PathPlan finish() {
        PathPlan plan;
        MountsByPath kept;
        for (const auto& [path, mount] : mounts_) {  // a parent sorts before its children
            const auto* above = nearest_above(kept, path);
            const bool provided = above != nullptr && above->kind == mount.kind;
            const bool nothing_to_hide = mount.kind == MountKind::kHide && !is_bind(above);
            if (!provided && !nothing_to_hide) {
                kept.insert_or_assign(path, mount);
                plan.mounts.push_back(mount);
            }
        }
        for (const auto& [location, target] : links_) {
            if (!is_bind(nearest_above(kept, location))) {
                plan.links.push_back({location, target});
            }
        }
        return plan;
    }

  private:
    void add(const std::string& path, MountKind kind) {
        const Resolved found = resolve(host_root_, path);
        if (found.error != 0 && kind == MountKind::kReadWrite) {
            throw_errno("rw_paths: " + path, found.error);
        }
        if (found.error != 0 || is_reserved(found.path)) {
            report_.skip_path(path,
                              found.error != 0 ? errno_text(found.error) : "leads to " + found.path + "/");
            return;
        }
        if (kind != MountKind::kHide) {
            for (const auto& link : found.links) {
                links_.insert_or_assign(link.location, link.target);
            }
        }
        const auto present = mounts_.find(found.path);
        const bool already_empty =
            kind == MountKind::kHide && present != mounts_.end() && present->second.kind == MountKind::kTmpfs;
        if (!already_empty) {
            mounts_.insert_or_assign(found.path, PlannedMount{found.path, kind, found.directory});
        }
    }

    std::string host_root_;
    Report& report_;
    MountsByPath mounts_;
    std::map<std::string, std::string> links_;
};

}  // namespace

PathPlan plan_paths(const Config& config, const std::string& host_root, Report& report) {
    Planner planner(host_root, report);
    planner.add(config.ro_paths, MountKind::kReadOnly);
    planner.add(config.rw_paths, MountKind::kReadWrite);
    planner.add(config.hide_paths, MountKind::kHide);  // last, so that hiding wins over showing the same path
    return planner.finish();
}

}  // namespace kbeval::sandbox
