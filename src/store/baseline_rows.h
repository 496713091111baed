#pragma once

#include <string>
#include <vector>

#include "baseline/baseline.h"
#include "store/database.h"

namespace kbeval {

/// Stores a baseline in one transaction.
void insert_baseline(Database& database, const Baseline& baseline);

/// The newest baseline of each problem on a GPU at a size, in order of problem; an empty GPU means the one
/// measured last. Throws an infrastructure error for a row that can't be read.
std::vector<Baseline> newest_baselines(Database& database, std::string gpu, const std::string& size);

}  // namespace kbeval
