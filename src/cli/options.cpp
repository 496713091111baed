#include "cli/options.h"

namespace kbeval::cli {

void add_evaluate_options(CLI::App& command, EvaluateOptions& o, bool timed) {
    command.add_option("PROBLEM", o.problem, "Problem id, such as L2_076")->required();
    command.add_option("CANDIDATE", o.candidate, "Python file that defines ModelNew; - reads standard input")
        ->required();
    command.add_flag("--reply", o.reply, "CANDIDATE is a model's whole reply: take its last ```python block");
    add_shared_options(command, o, timed);
}

void add_agent_options(CLI::App& command, AgentOptions& o) {
    command
        .add_option("--agent-timeout", o.seconds,
                    "Seconds that one reply (of an endpoint: one attempt) may take")
        ->check(CLI::Range(0.1, 86400.0))
        ->capture_default_str();
    command.add_option("--agent-attempts", o.attempts, "Times that an endpoint is asked for one reply")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    command.add_option("--max-tokens", o.max_tokens, "Of an endpoint's reply (default: its own)")
        ->check(CLI::Range(1, 10'000'000));
}

void add_machine_options(CLI::App& command, EvaluateOptions& o) {
    command.add_option("--device", o.device, "cuda:N or cpu (default: the first GPU, else the CPU)");
    command
        .add_option("--size", o.size,
                    "full, or smoke: small shapes (default: full on a GPU, smoke on the CPU)")
        ->check(CLI::IsMember({"full", "smoke"}));
    command.add_option("--db", o.database,
                       "Database file (default: $KBEVAL_DB, else in the user's data folder)");
}

void add_shared_options(CLI::App& command, EvaluateOptions& o, bool timed) {
    add_machine_options(command, o);
    command.add_option("--seeds", o.settings.seeds, "Input seeds that correctness is checked on")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    command.add_option("--seed", o.seed,
                       "Base seed from which all others derive (default: random, and recorded)");
    auto* const atol =
        command.add_option("--atol", o.settings.atol, "Absolute tolerance (default: the problem's)")
            ->check(CLI::Range(0.0, 1e6));
    auto* const rtol =
        command.add_option("--rtol", o.settings.rtol, "Relative tolerance (default: the problem's)")
            ->check(CLI::Range(0.0, 1e6));
    atol->needs(rtol);
    rtol->needs(atol);
    command
        .add_option_function<std::string>(
            "--oracle", [&o](const std::string&) { o.settings.exact_oracle = true; },
            "fp64: also compare with the reference in float64, and say which side is less accurate")
        ->check(CLI::IsMember({"fp64"}));
    command.add_option("--build-timeout", o.settings.build_timeout, "Seconds for building the candidate")
        ->check(CLI::Range(1.0, 86400.0))
        ->capture_default_str();
    if (timed) {
        command.add_option("--time-budget", o.settings.time_budget, "Seconds for the timing stage")
            ->check(CLI::Range(0.1, 86400.0))
            ->capture_default_str();
        command
            .add_option(
                "--compile-timeout", o.settings.compile_timeout,
                "Seconds for torch.compile of the reference; 0 leaves it out (default: 180, on the CPU 0)")
            ->check(CLI::Range(0.0, 86400.0));
    }
    command.add_option("--label", o.label, "Text kept with the verdict, to find it again");
    command.add_flag("--json", o.json, "Print the verdict as one JSON object and nothing else");
    command.add_flag("--keep-workdir", o.keep_workdir, "Keep the runners' folders and print where they are");
}

}  // namespace kbeval::cli
