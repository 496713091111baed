#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "agent/agent_spec.h"
#include "judge/settings.h"

namespace kbeval::cli {

/// What `run` and `check` share.
struct EvaluateOptions {
    std::string problem;
    std::string candidate;
    std::string device;
    std::string size;
    std::string database;
    std::string label;
    std::optional<std::uint64_t> seed;
    Settings settings;
    bool reply = false;
    bool json = false;
    bool keep_workdir = false;
};

/// --device, --size and --db.
void add_machine_options(CLI::App& command, EvaluateOptions& options);

/// Those that `batch` has too.
void add_shared_options(CLI::App& command, EvaluateOptions& options, bool timed);

/// Those of agents, which `episode` and `experiment run` share.
void add_agent_options(CLI::App& command, AgentOptions& options);

/// Declares all of them on a subcommand; `timed` adds those of timing.
void add_evaluate_options(CLI::App& command, EvaluateOptions& options, bool timed);

}  // namespace kbeval::cli
