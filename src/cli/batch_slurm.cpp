#include "cli/batch_slurm.h"

#include <chrono>
#include <iostream>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/random_id.h"
#include "base/sha256.h"
#include "batch/slurm.h"
#include "cli/batch_report.h"
#include "cli/command.h"
#include "store/merge.h"

namespace kbeval::cli {
namespace fs = std::filesystem;

namespace {

constexpr auto poll_interval = std::chrono::seconds(2);

/// The same for the same jobs, shards and arguments: where a batch that was interrupted is found again.
std::string identity(const std::vector<Job>& jobs, const SlurmOptions& o) {
    Sha256 hash;
    hash.field(std::to_string(o.shards));
    for (const std::string& argument : o.arguments) {
        hash.field(argument);
    }
    for (const Job& job : jobs) {
        hash.field(job.key);
    }
    return hash.hex().substr(0, 16);
}

/// The array of these jobs: the one before where it is to be resumed, else a new one.
SlurmArray prepare(const std::vector<Job>& jobs, const SlurmOptions& o) {
    SlurmArray array;
    array.folder = fs::absolute(o.database.string() + ".shards") / identity(jobs, o);
    array.shards = o.shards;
    array.sbatch = o.sbatch;
    const fs::path run = array.folder / "run";
    if (!o.resume || !fs::exists(run)) {
        if (fs::exists(array.folder)) {
            fs::rename(array.folder, array.folder.string() + "-" + random_id().substr(0, 8));
        }
        fs::create_directories(array.folder);
        write_file(run, random_id());
    }
    array.run = read_file(run, 100);
    array.command = {fs::read_symlink("/proc/self/exe").string(), "batch", array.manifest().string()};
    array.command.insert(array.command.end(), o.arguments.begin(), o.arguments.end());
    return array;
}

void wait_for(const std::string& job_id) {
    std::size_t last = 0;
    while (const std::size_t left = elements_left(job_id)) {
        if (left != last) {
            std::cerr << "Slurm job " << job_id << ": " << left << " shards wait or run\n";
            last = left;
        }
        std::this_thread::sleep_for(poll_interval);
    }
}

void fold_in(Store& store, const SlurmArray& array) {
    for (std::size_t shard = 0; shard < array.shards; ++shard) {
        if (!fs::exists(array.database(shard))) {
            std::cerr << "shard " << shard << " left no database; see "
                      << (array.folder / ("shard-" + std::to_string(shard) + ".log")).string() << "\n";
            continue;
        }
        for (const std::string& conflict : merge_database(store, array.database(shard)).conflicts) {
            std::cerr << "shard " << shard << ": conflict: " << conflict << "\n";
        }
    }
}

}  // namespace

int run_on_slurm(const std::vector<Job>& jobs, const SlurmOptions& o) {
    Store store = Store::open(o.database, Store::Mode::read_write);
    store.prove_writable();
    const SlurmArray array = prepare(jobs, o);
    const auto before = submitted_array(array.folder);
    if (before && elements_left(*before) > 0) {
        std::cerr << "Slurm job " << *before << " goes on\n";
        wait_for(*before);
    } else {
        write_array(array, jobs);
        const std::string id = submit_array(array);
        std::cerr << "run " << array.run.substr(0, 8) << ", " << jobs.size() << " candidates in "
                  << array.shards << " shards: Slurm job " << id << ", logs in " << array.folder.string()
                  << "\n";
        wait_for(id);
    }
    fold_in(store, array);
    Runs runs(store);
    const auto run = runs.find_id(array.run);
    const std::vector<JudgedJob> judged = run ? runs.judged(*run) : std::vector<JudgedJob>{};
    const int status = report_batch(judged, jobs.size(), "their shards ended early, see their logs", o.json);
    return judged.size() < jobs.size() ? exit_infrastructure : status;
}

}  // namespace kbeval::cli
