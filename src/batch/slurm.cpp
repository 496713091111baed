#include "batch/slurm.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/layout.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace kbeval {
namespace fs = std::filesystem;

namespace {

constexpr const char* id_file = "slurm_job";

/// One word of a shell script, whatever is in it.
std::string quoted(const std::string& word) {
    return "'" + replace_all(word, "'", "'\\''") + "'";
}

/// Runs one of Slurm's programs; what it printed.
ProcessResult ask(std::vector<std::string> command) {
    const fs::path program = find_program(command.front());
    if (program.empty()) {
        throw infrastructure_error(command.front() + " is not on the PATH",
                                   "is this a host from which Slurm jobs are submitted?");
    }
    command.front() = program.string();
    return run_process(command, "", {120, 4 << 20});
}

std::string trimmed(const std::string& text) {
    const auto begin = text.find_first_not_of(" \t\r\n");
    const auto end = text.find_last_not_of(" \t\r\n");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

}  // namespace

std::vector<std::size_t> shard_of_jobs(const std::vector<Job>& jobs, std::size_t count) {
    std::map<std::string, std::size_t> sizes;
    for (const Job& job : jobs) {
        ++sizes[job.problem];
    }
    std::vector<std::pair<std::string, std::size_t>> problems(sizes.begin(), sizes.end());
    std::stable_sort(problems.begin(), problems.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::size_t> load(std::max<std::size_t>(count, 1));
    std::map<std::string, std::size_t> shards;
    for (const auto& [problem, size] : problems) {
        const auto least = std::min_element(load.begin(), load.end());
        *least += size;
        shards[problem] = static_cast<std::size_t>(least - load.begin());
    }
    std::vector<std::size_t> all;
    all.reserve(jobs.size());
    for (const Job& job : jobs) {
        all.push_back(shards[job.problem]);
    }
    return all;
}

fs::path SlurmArray::database(std::size_t shard) const {
    return folder / ("shard-" + std::to_string(shard) + ".db");
}

void write_array(const SlurmArray& array, const std::vector<Job>& jobs) {
    fs::create_directories(array.folder);
    std::string manifest;
    for (const Job& job : jobs) {
        nlohmann::json line{{"problem", job.problem}, {"source", job.candidate.text},
                            {"label", job.label},     {"arm", job.arm},
                            {"reader", job.reader},   {"reply", !job.has_code}};
        manifest += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    }
    write_file(array.manifest(), manifest);
    std::string script = "#!/bin/sh\nexec";
    for (const std::string& word : array.command) {
        script += " " + quoted(word);
    }
    script += " --db " + quoted((array.folder / "shard-").string()) + "\"$SLURM_ARRAY_TASK_ID\".db --shard " +
              "\"$SLURM_ARRAY_TASK_ID\"/" + std::to_string(array.shards) + " --run-id " + array.run +
              " --resume\n";
    write_file(array.folder / "job.sh", script);
}

std::string submit_array(const SlurmArray& array) {
    std::vector<std::string> command{"sbatch",
                                     "--parsable",
                                     "--job-name=kbeval",
                                     "--array=0-" + std::to_string(array.shards - 1),
                                     "--chdir=" + array.folder.string(),
                                     "--output=" + (array.folder / "shard-%a.log").string(),
                                     "--open-mode=append"};
    command.insert(command.end(), array.sbatch.begin(), array.sbatch.end());
    command.push_back((array.folder / "job.sh").string());
    const ProcessResult result = ask(command);
    std::string id = result.output.substr(0, result.output.find_first_of(";\n"));
    if (result.exit_code != 0 || id.empty()) {
        throw infrastructure_error("sbatch did not take the batch: " + trimmed(result.error_output));
    }
    write_file(array.folder / id_file, id + "\n");
    return id;
}

std::optional<std::string> submitted_array(const fs::path& folder) {
    if (!fs::exists(folder / id_file)) {
        return std::nullopt;
    }
    return trimmed(read_file(folder / id_file, 1000));
}

std::size_t elements_left(const std::string& job_id) {
    const ProcessResult result = ask({"squeue", "--noheader", "--array", "--format=%i", "--jobs=" + job_id});
    // squeue forgets what is over after some minutes.
    if (result.error_output.find("Invalid job id") != std::string::npos) {
        return 0;
    }
    if (result.exit_code != 0) {
        throw infrastructure_error("squeue failed: " + trimmed(result.error_output));
    }
    return static_cast<std::size_t>(std::count(result.output.begin(), result.output.end(), '\n'));
}

}  // namespace kbeval
