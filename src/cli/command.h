#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace kbeval::cli {

/// What a subcommand does when it was chosen; returns the exit status.
using Action = std::function<int()>;

/// Options before the subcommand, shared by all.
struct Global {
    std::string log_level = "warn";
};

// Each registers its subcommand with its options and help on `app`, and sets `chosen` when the user picked
// it.
void add_run(CLI::App& app, Action& chosen);
void add_check(CLI::App& app, Action& chosen);
void add_batch(CLI::App& app, Action& chosen);
void add_replay(CLI::App& app, Action& chosen);
void add_calibrate(CLI::App& app, Action& chosen);
void add_baseline(CLI::App& app, Action& chosen);
void add_problems(CLI::App& app, Action& chosen);
void add_log(CLI::App& app, Action& chosen);
void add_show(CLI::App& app, Action& chosen);
void add_report(CLI::App& app, Action& chosen);
void add_doctor(CLI::App& app, Action& chosen);
void add_playbook(CLI::App& app, Action& chosen);
void add_context(CLI::App& app, Action& chosen);
void add_prompt(CLI::App& app, Action& chosen);
void add_cards(CLI::App& app, Action& chosen);
void add_episode(CLI::App& app, Action& chosen);
void add_experiment(CLI::App& app, Action& chosen);
void add_compare(CLI::App& app, Action& chosen);
void add_transcript(CLI::App& app, Action& chosen);
void add_db(CLI::App& app, Action& chosen);
void add_completion(CLI::App& app, Action& chosen);

/// Exit statuses, as documented in the help.
inline constexpr int exit_success = 0;
inline constexpr int exit_no_success = 1;
inline constexpr int exit_bad_input = 2;
inline constexpr int exit_infrastructure = 3;

}  // namespace kbeval::cli
