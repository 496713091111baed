#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "cgroup.h"
#include "config.h"
#include "descriptors.h"
#include "error.h"
#include "identity.h"
#include "kbeval/sandbox.h"
#include "namespaces.h"
#include "process_tree.h"
#include "report.h"
#include "resource_limits.h"
#include "root.h"
#include "seccomp_rules.h"

namespace kbeval::sandbox {
namespace {

constexpr std::size_t kLeastReport = 4096;

void start_session() {
    if (::setsid() < 0) {
        throw_errno("setsid");
    }
}

void replace_environment(const Config& config) {
    ::clearenv();
    for (const auto& [name, value] : config.env) {
        if (::setenv(name.c_str(), value.c_str(), 1) != 0) {
            throw_errno("setenv " + name);
        }
    }
}

/// As the new user, so that a folder that only the old one may enter is found now.
void check_folders(const Config& config) {
    if (::chdir(config.cwd.c_str()) != 0) {
        throw_errno("cwd " + config.cwd);
    }
    for (const auto& path : config.rw_paths) {
        if (::access(path.c_str(), R_OK | W_OK) != 0) {
            throw_errno("rw_paths: " + path + " can't be written by user " + std::to_string(::getuid()));
        }
    }
}

/// What is left to do in the runner, in the order that the rights for it go away.
void confine_runner(const Config& config, const Caller& caller, Report& report) {
    start_session();
    {
        const UniqueFd proc_self(open_proc_self());
        // If the machine runs out of memory, this is what to kill. No layer: a hint, which may be refused.
        write_file_at(proc_self.get(), "oom_score_adj", "1000");
        set_hostname(config, report);
        build_root(config, report);
        drop_identity(config, caller, proc_self.get(), report);
    }
    set_limits(config, report);
    close_all_except(config.keep_fds);
    fill_standard_descriptors(config.keep_fds);
    check_folders(config);
    replace_environment(config);
    forbid_new_privileges(config, report);
    enter_seccomp(config, report);
    report.check_required(config.required);
}

std::string enter(const char* json_config) {
    const Config config = parse_config(json_config);
    check_single_threaded();
    check_kept_descriptors(config.keep_fds);
    Report report;
    const Caller caller = identify_caller(config);
    Cgroup cgroup;
    cgroup.create(config, report);
    leave_namespaces(caller, report);
    split_processes(config, caller, cgroup, report);
    cgroup = Cgroup();
    confine_runner(config, caller, report);
    return report.json();
}

/// Copies what fits, ended by NUL; returns whether all did.
bool copy_out(const std::string& text, char* buffer, std::size_t capacity) {
    const std::size_t length = std::min(text.size(), capacity - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
    return length == text.size();
}

int report_error(int code, const std::string& message, char* buffer, std::size_t capacity) {
    const nlohmann::json document = {{"error", message.substr(0, kLeastReport / 2)}};
    copy_out(document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), buffer, capacity);
    return code > 0 ? -code : -EPERM;
}

}  // namespace
}  // namespace kbeval::sandbox

int kbeval_sandbox_enter(const char* json_config, char* report_json, size_t report_cap) {
    namespace sandbox = kbeval::sandbox;
    if (report_json == nullptr || report_cap < sandbox::kLeastReport) {
        return -EINVAL;
    }
    report_json[0] = '\0';
    try {
        if (!sandbox::copy_out(sandbox::enter(json_config), report_json, report_cap)) {
            return sandbox::report_error(ENOBUFS, "the report is longer than the buffer", report_json,
                                         report_cap);
        }
        return 0;
    } catch (const sandbox::SandboxError& error) {
        return sandbox::report_error(error.code(), error.what(), report_json, report_cap);
    } catch (const std::exception& error) {
        return sandbox::report_error(ENOMEM, error.what(), report_json, report_cap);
    }
}
