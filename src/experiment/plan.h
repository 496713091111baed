#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/episode_record.h"
#include "problem/problem.h"

namespace kbeval {

/// Problems by name, and all that have every one of the properties that are given.
struct ProblemSelection {
    std::vector<std::string> ids;
    std::vector<int> levels;
    std::vector<std::string> families;
    std::vector<std::string> tags;
};

/// The model, or program, that reads the contexts and answers.
struct PlannedReader {
    std::string name;
    std::string agent;  ///< its specification (agent/agent_spec.h)
};

/// What an experiment compares (docs/experiments.md has the file's form).
struct Plan {
    std::string name;
    std::uint64_t seed = 0;
    int turns = 6;
    int repeats = 1;
    std::vector<std::string> arms;
    std::vector<PlannedReader> readers;
    std::map<std::string, std::filesystem::path> contexts;  ///< arm -> file with its context; absolute
    std::map<std::string, ProblemSelection> problems;       ///< split (learn, held_out) -> which
    std::optional<double> gpu_minutes;                      ///< budget: device time of all judgements
    std::optional<std::int64_t> tokens;                     ///< budget: input and output of all replies
};

/// Reads a plan from TOML (`.toml`) or JSON. Paths in it are relative to its folder. Throws input errors that
/// name file, key and rule; keys that it does not know are errors, too.
Plan read_plan(const std::filesystem::path& path);

/// The plan with its problems resolved, as JSON text: equal where two plans ask for the same.
std::string canonical_text(const Plan& plan, const Catalogue& catalogue);

/// Every episode of the plan in the order in which they run: problems, readers and repeats shuffled, the arms
/// of each next to each other in random order, so that what drifts meets all arms alike. The same plan gives
/// the same order and seeds; all arms at one problem, reader and repeat share their seed. Throws an input
/// error for unknown problems, and for one in both splits.
std::vector<EpisodeRecord> planned_episodes(const Plan& plan, const Catalogue& catalogue);

}  // namespace kbeval
