#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kbeval::sandbox {

bool is_layer(std::string_view name);

/// What was reached and what was not. Every layer starts as absent, so that one forgotten never reads as
/// present.
class Report {
  public:
    Report();

    /// Marks a layer as present.
    void have(const std::string& layer);
    /// Records why a layer is absent; the first reason stays.
    void miss(const std::string& layer, const std::string& reason);
    /// A configured path that is not there inside, and why.
    void skip_path(const std::string& path, const std::string& reason);
    [[nodiscard]] bool has(const std::string& layer) const;

    /// Throws SandboxError(EPERM) that names each required layer that is absent, with its reason.
    void check_required(const std::vector<std::string>& required) const;

    void set_identity(unsigned uid, unsigned gid);
    void set_cgroup(const std::string& path) { cgroup_ = path; }
    [[nodiscard]] std::string json() const;

  private:
    struct SkippedPath {
        std::string path;
        std::string reason;
    };

    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::map<std::string, bool> layers_;
    std::map<std::string, std::string> missing_;
    std::vector<SkippedPath> skipped_;
    std::string cgroup_;
    unsigned uid_ = 0;
    unsigned gid_ = 0;
};

}  // namespace kbeval::sandbox
