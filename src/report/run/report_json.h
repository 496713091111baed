#pragma once

#include <nlohmann/json_fwd.hpp>

#include "figures/report.h"

namespace kbeval {

/// The whole report as one JSON object: schema docs/report.schema.json. Its `format` goes up when a name
/// changes or leaves; names may be added.
nlohmann::ordered_json report_json(const Report& report);

/// Version of that format.
inline constexpr int report_format = 1;

/// Without `curve` only the thresholds of tables.
nlohmann::ordered_json figures_json(const Figures& figures, bool curve = true);
/// `evaluations` lists ids only.
nlohmann::ordered_json group_json(const Group& group);
nlohmann::ordered_json comparison_json(const Comparison& comparison);
nlohmann::ordered_json pair_json(const Pair& pair);

}  // namespace kbeval
