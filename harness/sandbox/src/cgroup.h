#pragma once

#include <string>
#include <vector>

#include "config.h"
#include "descriptors.h"
#include "report.h"

namespace kbeval::sandbox {

/// A cgroup v2 group for what runs inside, with pids.max and memory.max. Made by the supervisor before the
/// namespaces, joined by the init process, removed by the supervisor at the end.
class Cgroup {
  public:
    Cgroup() = default;
    Cgroup(const Cgroup&) = delete;
    Cgroup& operator=(const Cgroup&) = delete;
    Cgroup(Cgroup&&) = default;
    Cgroup& operator=(Cgroup&&) = default;
    ~Cgroup() { remove(); }

    /// Makes the group if the configuration asks for a limit that it can hold; what can't be had goes to
    /// `report`.
    void create(const Config& config, Report& report);
    /// Moves the calling process into the group, if there is one.
    void join(Report& report) const;
    /// Leaves the removal to another process (after fork).
    void disown() noexcept { name_.clear(); }
    /// Removes the group; its processes must have ended.
    void remove() noexcept;

    /// The descriptors that remove() needs.
    [[nodiscard]] std::vector<int> removal_descriptors() const;

  private:
    bool open_group(const std::string& parent, Report& report);
    void limit(const char* layer, const char* file, const std::optional<std::uint64_t>& value,
               Report& report);

    UniqueFd parent_;
    UniqueFd group_;
    UniqueFd processes_;  ///< cgroup.procs, opened while the caller's rights still hold
    std::string name_;
};

}  // namespace kbeval::sandbox
