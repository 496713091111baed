#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "batch/job.h"

namespace kbeval {

/// Which of `count` shards judges each job: all jobs of a problem go to one, the largest problems first, each
/// to the shard that has least. The same jobs give the same answer on every machine.
std::vector<std::size_t> shard_of_jobs(const std::vector<Job>& jobs, std::size_t count);

/// A batch as a Slurm job array: one element a shard, each with a database of its own, all of one run.
struct SlurmArray {
    std::filesystem::path folder;  ///< on a file system that the nodes share; holds all of the array's files
    std::string run;               ///< id of the run, 32 hex digits
    std::size_t shards = 1;
    std::vector<std::string> command;  ///< of each element, without what says which shard it is
    std::vector<std::string> sbatch;   ///< further options of sbatch

    [[nodiscard]] std::filesystem::path database(std::size_t shard) const;
    [[nodiscard]] std::filesystem::path manifest() const { return folder / "jobs.jsonl"; }
};

/// Writes the jobs as a manifest and the script, both anew. Throws infrastructure errors.
void write_array(const SlurmArray& array, const std::vector<Job>& jobs);

/// Submits it; returns Slurm's job id and keeps it in the folder. Throws infrastructure errors with what
/// sbatch said.
std::string submit_array(const SlurmArray& array);

/// The job id of the last submission from this folder.
std::optional<std::string> submitted_array(const std::filesystem::path& folder);

/// How many elements wait or run; 0: the array is over. Throws infrastructure errors where squeue fails.
std::size_t elements_left(const std::string& job_id);

}  // namespace kbeval
