#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <iostream>

#include "base/error.h"
#include "base/layout.h"
#include "cli/command.h"
#include "cli/version.h"
#include "judge/settings.h"

namespace kbeval::cli {

namespace {

/// The one place that prints errors.
int print_error(const Error& error) {
    std::cerr << "kbeval: " << error.what() << "\n";
    if (!error.hint().empty()) {
        std::cerr << "  " << error.hint() << "\n";
    }
    return error.kind() == ErrorKind::infrastructure ? exit_infrastructure : exit_bad_input;
}

std::string version_text() {
    return std::string("kbeval ") + version + " evaluator " + evaluator_digest(find_layout(), Settings{});
}

void configure_logging(const std::string& level) {
    spdlog::set_default_logger(spdlog::stderr_color_mt("kbeval"));
    spdlog::set_level(spdlog::level::from_str(level));
}

int main_with(int argc, char** argv) {
    CLI::App app{"kbeval judges kernels that agents write for KernelBench problems"};
    app.name("kbeval");
    Global global;
    Action chosen;
    app.require_subcommand(1);
    app.add_option("--log-level", global.log_level, "trace, debug, info, warn, err or off")
        ->check(CLI::IsMember({"trace", "debug", "info", "warn", "err", "off"}))
        ->capture_default_str();
    app.set_version_flag(
        "--version", [] { return version_text(); }, "Print the version and the evaluator's digest");
    app.footer("Example: kbeval run L2_076 candidate.py\n`kbeval doctor` says what this machine lacks.");
    add_run(app, chosen);
    add_check(app, chosen);
    add_batch(app, chosen);
    add_replay(app, chosen);
    add_calibrate(app, chosen);
    add_baseline(app, chosen);
    add_problems(app, chosen);
    add_log(app, chosen);
    add_show(app, chosen);
    add_report(app, chosen);
    add_doctor(app, chosen);
    add_playbook(app, chosen);
    add_context(app, chosen);
    add_prompt(app, chosen);
    add_cards(app, chosen);
    add_episode(app, chosen);
    add_experiment(app, chosen);
    add_compare(app, chosen);
    add_transcript(app, chosen);
    add_db(app, chosen);
    add_completion(app, chosen);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_success : exit_bad_input;
    }
    configure_logging(global.log_level);
    return chosen();
}

}  // namespace

}  // namespace kbeval::cli

int main(int argc, char** argv) {
    ::signal(SIGPIPE, SIG_IGN);
    try {
        return kbeval::cli::main_with(argc, argv);
    } catch (const kbeval::Error& error) {
        return kbeval::cli::print_error(error);
    } catch (const std::exception& error) {
        return kbeval::cli::print_error(
            kbeval::infrastructure_error(std::string("unexpected: ") + error.what()));
    }
}
