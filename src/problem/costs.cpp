#include "problem/costs.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace kbeval {

namespace {

/// The one list of fields.
template <typename ACosts, typename Function>
void each_cost(ACosts& costs, Function&& f) {
    f("input_bytes", costs.input_bytes);
    f("parameter_bytes", costs.parameter_bytes);
    f("output_bytes", costs.output_bytes);
    f("flops", costs.flops);
    f("least_bytes", costs.least_bytes);
    f("operators", costs.operators);
}

}  // namespace

std::optional<ProblemCosts> costs_from(const nlohmann::json& json) {
    if (json.is_null()) {
        return std::nullopt;
    }
    ProblemCosts costs;
    each_cost(costs, [&json](const char* name, std::int64_t& field) {
        field = json.at(name).get<std::int64_t>();
        if (field < 0) {
            throw std::invalid_argument(std::string("'costs' has a negative ") + name);
        }
    });
    return costs;
}

nlohmann::ordered_json to_json(const ProblemCosts& costs) {
    nlohmann::ordered_json json;
    each_cost(costs, [&json](const char* name, std::int64_t field) { json[name] = field; });
    return json;
}

}  // namespace kbeval
