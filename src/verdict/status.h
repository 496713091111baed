#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbeval {

/// How an evaluation ended; the one list of statuses.
enum class Status {
    correct,
    incorrect,
    compile_error,
    runtime_error,
    timeout,
    forbidden,         ///< the static check refused the source
    no_code,           ///< a reply without a Python block
    no_custom_kernel,  ///< no kernel of the candidate's own ran
    infra_error,       ///< never the candidate's fault; left out of every rate
};

std::string_view to_string(Status status);
std::optional<Status> status_from_string(std::string_view name);
const std::vector<Status>& all_statuses();

}  // namespace kbeval
