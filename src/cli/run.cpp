#include <unistd.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "candidate/source.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/session.h"
#include "report/progress.h"
#include "report/record_text.h"
#include "report/terminal.h"
#include "report/verdict_text.h"

namespace kbeval::cli {

namespace {

constexpr const char* footer =
    "Examples:\n"
    "  kbeval run L2_076 candidate.py\n"
    "  kbeval run L1_088 examples/L1_088_gelu_triton.py --device cpu --json\n"
    "  my-agent | kbeval run L2_076 - --reply --label nightly\n"
    "Exit status: 0 success, 1 judged and no success, 2 bad usage or input, 3 infrastructure failed.";

CandidateSource read_source(const EvaluateOptions& o, bool& has_code) {
    CandidateSource given = read_candidate(o.candidate);
    has_code = true;
    if (!o.reply) {
        return given;
    }
    auto code = extract_code(given.text);
    has_code = code.has_value();
    return code ? candidate_from_text(std::move(*code), given.origin) : given;
}

void print(const EvaluateOptions& o, const Verdict& verdict, const std::filesystem::path& database) {
    if (o.json) {
        std::cout << dump_json(to_json(verdict), -1) << "\n";
        return;
    }
    std::cout << verdict_text(verdict, colour_wanted(STDOUT_FILENO));
    std::cout << "stored in " << database.string() << " as " << verdict.id.substr(0, 8) << " (kbeval show "
              << verdict.id.substr(0, 8) << ")\n";
}

int evaluate_command(const EvaluateOptions& o, bool timed) {
    Session session(o);
    const Problem& problem = session.problem(o.problem);
    bool has_code = false;
    const CandidateSource source = read_source(o, has_code);
    session.prepare();
    const auto progress = make_progress(!o.json);
    const Verdict verdict = session.judge(problem, source, {timed, has_code, o.label}, *progress);
    print(o, verdict, session.database());
    return exit_status(verdict);
}

void add(CLI::App& app, Action& chosen, const char* name, const char* description, bool timed) {
    CLI::App* const command = app.add_subcommand(name, description);
    const auto options = std::make_shared<EvaluateOptions>();
    add_evaluate_options(*command, *options, timed);
    command->footer(footer);
    command->callback([&chosen, options, timed] {
        chosen = [options, timed] { return evaluate_command(*options, timed); };
    });
}

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
    add(app, chosen, "run", "Judge a candidate: correctness, own kernels and speed", true);
}

void add_check(CLI::App& app, Action& chosen) {
    add(app, chosen, "check", "Judge a candidate up to its timing: correctness and own kernels", false);
}

}  // namespace kbeval::cli
