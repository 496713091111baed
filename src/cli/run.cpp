#include <sys/statvfs.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "base/error.h"
#include "base/file.h"
#include "base/layout.h"
#include "cli/command.h"
#include "cli/options.h"
#include "judge/evaluation.h"
#include "report/progress.h"
#include "report/verdict_text.h"
#include "runner/environment.h"
#include "store/store.h"

namespace kbeval::cli {

namespace {

constexpr const char* footer =
    "Examples:\n"
    "  kbeval run L2_076 candidate.py\n"
    "  kbeval run L1_019 examples/relu_triton.py --device cpu --json\n"
    "  my-agent | kbeval run L2_076 - --reply --label nightly\n"
    "Exit status: 0 success, 1 judged and no success, 2 bad usage or input, 3 infrastructure failed.";

std::uint64_t random_seed() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

/// The libraries that the build makes; without them nothing can be judged, so this is said before anything starts.
void require_harness(const Layout& layout) {
    if (find_python(layout).empty()) {
        throw infrastructure_error("no Python found", "run scripts/setup, or set KBEVAL_PYTHON");
    }
    for (const char* stem : {"kbeval_native", "libkbeval_sandbox"}) {
        if (find_built_library(layout, stem).empty()) {
            throw infrastructure_error(std::string("the library ") + stem + " is not built",
                                       "run scripts/setup (with the package: scripts/build-native)");
        }
    }
}

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

EvaluationRequest make_request(const EvaluateOptions& o, const Device& device, const Problem& problem, bool timed,
                               CandidateSource source) {
    const bool cpu = device.kind() == "cpu";
    const Size size = o.size.empty() ? (cpu ? Size::smoke : Size::full) : o.size == "smoke" ? Size::smoke : Size::full;
    return {Catalogue::load(problem, size), std::move(source), timed, size,
            o.seed ? *o.seed : random_seed(), o.label, o.settings};
}

void print(const EvaluateOptions& o, const Verdict& verdict, const std::filesystem::path& database) {
    if (o.json) {
        std::cout << to_json(verdict).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
        return;
    }
    std::cout << verdict_text(verdict, ::isatty(1) != 0);
    std::cout << "stored in " << database.string() << " as " << verdict.id.substr(0, 8) << " (kbeval show "
              << verdict.id.substr(0, 8) << ")\n";
}

int exit_status(const Verdict& verdict) {
    if (verdict.status == Status::infra_error) {
        return exit_infrastructure;
    }
    // A check that ends well is what was asked for, though it is no success verdict.
    const bool good = verdict.kind == "check" ? verdict.status == Status::correct && verdict.flags.empty()
                                              : verdict.success;
    return good ? exit_success : exit_no_success;
}

int evaluate_command(const EvaluateOptions& o, bool timed) {
    const Layout layout = find_layout();
    const Catalogue catalogue(layout.problems());
    const Problem& problem = catalogue.find(o.problem);
    bool has_code = false;
    CandidateSource source = read_source(o, has_code);
    const std::filesystem::path database = o.database.empty() ? default_database() : std::filesystem::path(o.database);
    const auto device = open_device(o.device);
    require_harness(layout);
    Store store = Store::open(database, Store::Mode::read_write);
    store.prove_writable();
    const EvaluationRequest request = make_request(o, *device, problem, timed, std::move(source));

    TemporaryDirectory scratch(cache_directory() / "work", "evaluation");
    if (o.keep_workdir) {
        scratch.keep();
    }
    const auto progress = make_progress(!o.json);
    std::unique_ptr<Host> host;
    const auto start_host = [&]() -> Host& {
        host = std::make_unique<Host>(
            HostOptions{find_python(layout), layout.harness(), host_environment(layout, *device)});
        return *host;
    };
    const EvaluationContext context{layout,
                                    *device,
                                    start_host,
                                    scratch.path(),
                                    {database.parent_path(), cache_directory() / "work"},
                                    *progress};
    const Judgement judgement =
        has_code ? evaluate(request, context) : Judgement{no_code_verdict(request, context), ""};
    store.record(judgement.verdict, request.candidate.text, judgement.log);
    print(o, judgement.verdict, database);
    if (o.keep_workdir) {
        std::cerr << "kept " << scratch.path().string() << "\n";
    }
    return exit_status(judgement.verdict);
}

void add(CLI::App& app, Action& chosen, const char* name, const char* description, bool timed) {
    CLI::App* const command = app.add_subcommand(name, description);
    const auto options = std::make_shared<EvaluateOptions>();
    add_evaluate_options(*command, *options, timed);
    command->footer(footer);
    command->callback([&chosen, options, timed] { chosen = [options, timed] { return evaluate_command(*options, timed); }; });
}

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
    add(app, chosen, "run", "Judge a candidate: correctness, own kernels and speed", true);
}

void add_check(CLI::App& app, Action& chosen) {
    add(app, chosen, "check", "Judge a candidate up to its timing: correctness and own kernels", false);
}

}  // namespace kbeval::cli
