#pragma once

#include <string>
#include <vector>

#include "candidate/source.h"

namespace kbeval {

/// One candidate that a batch is to judge.
struct Job {
    std::string key;  ///< 64 hex digits over all that follows; unique within its batch
    std::string problem;
    CandidateSource candidate;
    bool has_code = true;  ///< false: the reply held none
    std::string label;
    std::string arm;     ///< how the agent's context was chosen
    std::string reader;  ///< the model that read it
};

/// Gives every job its key. Jobs that are alike in everything are told apart by how many came before.
void assign_keys(std::vector<Job>& jobs);

}  // namespace kbeval
