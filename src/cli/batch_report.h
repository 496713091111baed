#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "store/runs.h"

namespace kbeval::cli {

/// Prints the verdicts (where they are few) and the summary of a batch of `jobs` candidates, and how many are
/// left; `why` says why, or nothing. Returns the exit status.
int report_batch(const std::vector<JudgedJob>& judged, std::size_t jobs, const std::string& why, bool json);

}  // namespace kbeval::cli
