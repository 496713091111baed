#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace kbeval {

/// What one forward of a reference at full size must at least do, counted by shape; how is documented in
/// harness/kbeval_problems/costs.py.
struct ProblemCosts {
    std::int64_t input_bytes = 0;
    std::int64_t parameter_bytes = 0;
    std::int64_t output_bytes = 0;
    std::int64_t flops = 0;
    std::int64_t least_bytes = 0;  ///< inputs, parameters and buffers read once, outputs written once
    std::int64_t operators = 0;    ///< calls of forward() that return a tensor
};

/// Nothing for null. Throws nlohmann's exceptions, or std::invalid_argument for a negative figure.
std::optional<ProblemCosts> costs_from(const nlohmann::json& json);

nlohmann::ordered_json to_json(const ProblemCosts& costs);

}  // namespace kbeval
