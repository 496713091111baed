#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "batch/job.h"

namespace kbeval::cli {

/// How a batch is given to Slurm.
struct SlurmOptions {
    std::filesystem::path database;  ///< what the shards are folded into
    std::size_t shards = 1;
    std::vector<std::string> arguments;  ///< of `kbeval batch`, for every shard
    std::vector<std::string> sbatch;     ///< of sbatch
    bool resume = false;
    bool json = false;
};

/// Submits the jobs as an array, waits for its end, folds the shards' databases in and reports. Returns the
/// exit status.
int run_on_slurm(const std::vector<Job>& jobs, const SlurmOptions& options);

}  // namespace kbeval::cli
