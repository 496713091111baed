#include "verdict/status.h"

#include <array>

namespace kbeval {

namespace {
constexpr std::array<std::pair<Status, std::string_view>, 9> names{{
    {Status::correct, "correct"},
    {Status::incorrect, "incorrect"},
    {Status::compile_error, "compile_error"},
    {Status::runtime_error, "runtime_error"},
    {Status::timeout, "timeout"},
    {Status::forbidden, "forbidden"},
    {Status::no_code, "no_code"},
    {Status::no_custom_kernel, "no_custom_kernel"},
    {Status::infra_error, "infra_error"},
}};
}  // namespace

std::string_view to_string(Status status) {
    for (const auto& [value, name] : names) {
        if (value == status) {
            return name;
        }
    }
    return "infra_error";
}

std::optional<Status> status_from_string(std::string_view name) {
    for (const auto& [value, text] : names) {
        if (text == name) {
            return value;
        }
    }
    return std::nullopt;
}

const std::vector<Status>& all_statuses() {
    static const std::vector<Status> values = [] {
        std::vector<Status> all;
        all.reserve(names.size());
        for (const auto& [value, name] : names) {
            all.push_back(value);
        }
        return all;
    }();
    return values;
}

}  // namespace kbeval
