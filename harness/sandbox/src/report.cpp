#include "report.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "error.h"

namespace kbeval::sandbox {
namespace {

constexpr std::array<std::string_view, 20> kLayers = {"user_ns",
                                                      "mount_ns",
                                                      "pid_ns",
                                                      "net_ns",
                                                      "ipc_ns",
                                                      "uts_ns",
                                                      "cgroup_ns",
                                                      "read_only_root",
                                                      "proc",
                                                      "sys",
                                                      "no_new_privs",
                                                      "seccomp",
                                                      "capabilities_dropped",
                                                      "securebits_locked",
                                                      "uid_dropped",
                                                      "not_dumpable",
                                                      "cgroup_pids",
                                                      "cgroup_memory",
                                                      "nproc_limit",
                                                      "data_limit"};

}  // namespace

bool is_layer(std::string_view name) {
    return std::find(kLayers.begin(), kLayers.end(), name) != kLayers.end();
}

Report::Report() {
    for (const auto layer : kLayers) {
        layers_[std::string(layer)] = false;
    }
}

void Report::have(const std::string& layer) {
    layers_.at(layer) = true;
    missing_.erase(layer);
}

void Report::miss(const std::string& layer, const std::string& reason) {
    layers_.at(layer) = false;
    missing_.emplace(layer, reason);
}

void Report::skip_path(const std::string& path, const std::string& reason) {
    skipped_.push_back({path, reason});
}

bool Report::has(const std::string& layer) const {
    return layers_.at(layer);
}

void Report::check_required(const std::vector<std::string>& required) const {
    std::string absent;
    for (const auto& layer : required) {
        if (!has(layer)) {
            const auto reason = missing_.find(layer);
            absent += (absent.empty() ? "" : "; ") + layer + " (" +
                      (reason == missing_.end() ? "not set up" : reason->second) + ")";
        }
    }
    if (!absent.empty()) {
        throw SandboxError(EPERM, "required sandbox layers are missing: " + absent);
    }
}

void Report::set_identity(unsigned uid, unsigned gid) {
    uid_ = uid;
    gid_ = gid;
}

std::string Report::json() const {
    nlohmann::ordered_json out;
    out["layers"] = nlohmann::ordered_json::object();
    out["missing"] = nlohmann::ordered_json::array();
    for (const auto layer : kLayers) {
        const std::string name(layer);
        out["layers"][name] = layers_.at(name);
        if (!layers_.at(name)) {
            const auto reason = missing_.find(name);
            out["missing"].push_back(
                {{"layer", name}, {"reason", reason == missing_.end() ? "not set up" : reason->second}});
        }
    }
    out["skipped_paths"] = nlohmann::ordered_json::array();
    for (const auto& skipped : skipped_) {
        out["skipped_paths"].push_back({{"path", skipped.path}, {"reason", skipped.reason}});
    }
    out["uid"] = uid_;
    out["gid"] = gid_;
    out["cgroup"] = cgroup_.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(cgroup_);
    const auto elapsed = std::chrono::steady_clock::now() - start_;
    out["enter_us"] = std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count();
    // A path may hold any bytes; the report must stay valid JSON.
    return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace kbeval::sandbox
