#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "baseline/baseline.h"

namespace kbeval {

/// A baseline with what the catalogue says of its problem.
struct BaselineRow {
    Baseline baseline;
    std::string name;
    std::string family;
    int level = 0;
};

/// Every figure, for machines. Software and GPU stand once at the head where all rows agree on them.
nlohmann::ordered_json baselines_json(const std::vector<BaselineRow>& rows);

/// A Markdown document: software and GPU, a summary by level, and a table of problems.
std::string baselines_markdown(const std::vector<BaselineRow>& rows);

}  // namespace kbeval
