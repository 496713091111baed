#pragma once

#include <string>
#include <vector>

#include "config.h"
#include "report.h"

namespace kbeval::sandbox {

enum class MountKind {
    kTmpfs,      ///< fresh, writable, limited in size
    kReadOnly,   ///< bind of the host's, read-only
    kReadWrite,  ///< bind of the host's
    kHide        ///< an empty folder or file over what a bind would show
};

struct PlannedMount {
    std::string path;  ///< the same outside and inside; holds no symbolic link
    MountKind kind;
    bool directory;
};

struct PlannedLink {
    std::string location;
    std::string target;
};

struct PathPlan {
    std::vector<PlannedMount> mounts;  ///< parents before children; none that its parent already provides
    std::vector<PlannedLink> links;    ///< links to make again, none of them below a bind
};

/// Decides what is mounted where. Paths are looked up below `host_root`, the place where the host's root is
/// seen. Absent paths are skipped and reported; an absent rw path throws.
PathPlan plan_paths(const Config& config, const std::string& host_root, Report& report);

}  // namespace kbeval::sandbox
