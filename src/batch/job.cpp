#include "batch/job.h"

#include <map>

#include "base/sha256.h"

namespace kbeval {

namespace {

std::string key_of(const Job& job, int before) {
    Sha256 hash;
    for (const std::string& field :
         {job.problem, job.candidate.text, std::string(job.has_code ? "code" : "none"), job.label, job.arm,
          job.reader, std::to_string(before)}) {
        hash.field(field);
    }
    return hash.hex();
}

}  // namespace

void assign_keys(std::vector<Job>& jobs) {
    std::map<std::string, int> seen;
    for (Job& job : jobs) {
        job.key = key_of(job, 0);
        if (const int before = seen[job.key]++; before > 0) {
            job.key = key_of(job, before);
        }
    }
}

}  // namespace kbeval
