#pragma once

#include <functional>
#include <map>
#include <string>

#include "agent/agent_spec.h"
#include "agent/episode.h"
#include "experiment/plan.h"

namespace kbeval {

/// How far an experiment is.
struct ExperimentProgress {
    int finished = 0;  ///< episodes at their end
    int episodes = 0;
    int failed = 0;          ///< left open in this run, since agent or judge failed
    double gpu_seconds = 0;  ///< of all judgements so far
    std::int64_t tokens = 0;
    double seconds_left = 0;  ///< estimate, from the episodes of this run; 0 before the first
    std::string stopped;      ///< why it ended with episodes left; empty where none are
};

/// What run_experiment needs beside the plan.
struct ExperimentSurroundings {
    const Catalogue& catalogue;
    EpisodeSurroundings episodes;
    std::map<std::string, AgentFactory> agents;                                 ///< by reader
    std::function<void(const EpisodeRecord&, const ExperimentProgress&)> told;  ///< after every episode
};

/// Begins the experiment, or finds it begun with the same plan; one begun with another plan is an input
/// error.
void begin_or_resume(const Plan& plan, const Catalogue& catalogue, EpisodeStore& store);

/// Runs what is open, in order. Ends when all is done, at the budget, when someone cancelled it, or after
/// several failures in a row. An episode whose agent or judge fails stays open; the next run takes it up.
ExperimentProgress run_experiment(const Plan& plan, const ExperimentSurroundings& with);

}  // namespace kbeval
