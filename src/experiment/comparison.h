#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiment/analysis.h"

namespace kbeval {

/// Figures of all outcomes, or of one group of them.
struct Comparison {
    std::string group;  ///< empty for all; else "level 2", "family conv", "reader x"
    std::vector<ArmSummary> arms;
    std::optional<PairedDifference> difference;
};

struct ComparisonRequest {
    std::vector<std::string> arms;  ///< in this order; the first two are compared
    std::string by;                 ///< level, family, reader, or empty
    ComparisonOptions options;
};

/// All outcomes together, then group by group where asked for.
std::vector<Comparison> compare(const std::vector<Outcome>& outcomes, const ComparisonRequest& request);

/// What a person reads.
std::string comparison_text(const std::vector<Comparison>& comparisons);

nlohmann::ordered_json comparison_json(const std::vector<Comparison>& comparisons);

}  // namespace kbeval
