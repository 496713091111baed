#include <sched.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/random_id.h"
#include "base/text.h"
#include "baseline/report.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/session.h"
#include "judge/baseline_run.h"
#include "report/record_text.h"
#include "store/baseline_rows.h"

namespace kbeval::cli {

namespace {

constexpr double gpu_memory_share = 0.7;  ///< of the GPU's, that references prepared together may take
constexpr int most_jobs = 12;

struct BaselineOptions {
    EvaluateOptions evaluate;
    ProblemFilter filter;
    std::vector<std::string> ids;
    std::string out;
    BaselineSettings settings;
    double seconds = 0;
    int jobs = 0;
    bool resume = false;
    bool retry = false;
    bool no_compile = false;
    bool show = false;
};

int processors() {
    cpu_set_t set;
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

std::vector<Problem> chosen_problems(const BaselineOptions& o, const Catalogue& catalogue) {
    if (o.ids.empty()) {
        return catalogue.select(o.filter);
    }
    std::vector<Problem> problems;
    for (const std::string& id : o.ids) {
        problems.push_back(catalogue.find(id));
    }
    return problems;
}

/// Whether a stored baseline needs no measuring again. Which evaluator measured it does not matter here; the
/// report says so where several did.
bool still_good(const Baseline& stored, const BaselineOptions& o, const std::string& digest,
                const std::map<std::string, std::string>& versions) {
    const auto same = [&stored, &versions](const char* name) {
        const auto mine = versions.find(name);
        return mine != versions.end() &&
               std::find(stored.facts.begin(), stored.facts.end(),
                         std::pair<std::string, std::string>(name, mine->second)) != stored.facts.end();
    };
    const bool whole = stored.compile_ms || o.no_compile || !o.retry;
    return stored.failure.empty() && stored.eager_ms && whole && stored.problem_digest == digest &&
           same("torch") && same("cuda");
}

std::vector<Problem> without_stored(const std::vector<Problem>& problems, const BaselineOptions& o,
                                    Session& session) {
    const auto stored =
        newest_baselines(session.store().database(), session.device().product(), to_string(session.size()));
    std::vector<Problem> rest;
    for (const Problem& problem : problems) {
        const auto found = std::find_if(stored.begin(), stored.end(),
                                        [&](const Baseline& b) { return b.problem == problem.id; });
        if (found == stored.end() || !still_good(*found, o, Catalogue::load(problem, session.size()).digest,
                                                 session.station().host().versions())) {
            rest.push_back(problem);
        }
    }
    return rest;
}

/// The stored baselines of the chosen problems.
std::vector<BaselineRow> stored_rows(const BaselineOptions& o, const Catalogue& catalogue, Store& store,
                                     const std::string& gpu, Size size) {
    std::map<std::string, Problem> chosen;
    for (const Problem& problem : chosen_problems(o, catalogue)) {
        chosen.emplace(problem.id, problem);
    }
    std::vector<BaselineRow> rows;
    for (Baseline& baseline : newest_baselines(store.database(), gpu, to_string(size))) {
        const auto found = chosen.find(baseline.problem);
        if (found != chosen.end()) {
            const Problem& p = found->second;
            rows.push_back({std::move(baseline), p.name, p.family, p.level});
        }
    }
    return rows;
}

void print(const BaselineOptions& o, const std::vector<BaselineRow>& rows) {
    if (!o.out.empty()) {
        std::filesystem::create_directories(o.out);
        const std::filesystem::path folder = o.out;
        write_file(folder / "baselines.json", dump_json(baselines_json(rows), 1) + "\n");
        write_file(folder / "baselines.md", baselines_markdown(rows));
    }
    if (o.evaluate.json) {
        std::cout << dump_json(baselines_json(rows), 1) << "\n";
    } else if (o.out.empty()) {
        std::cout << baselines_markdown(rows);
    }
}

int show(const BaselineOptions& o) {
    const Catalogue catalogue(find_layout());
    Store store = Store::open(
        o.evaluate.database.empty() ? default_database() : std::filesystem::path(o.evaluate.database),
        Store::Mode::read_only);
    const Size size = o.evaluate.size == "smoke" ? Size::smoke : Size::full;
    const auto rows = stored_rows(o, catalogue, store, "", size);
    if (rows.empty()) {
        throw input_error(store.path().string() + ": holds no baseline at " + to_string(size) + " size",
                          "make one: kbeval baseline");
    }
    print(o, rows);
    return exit_success;
}

BaselineRequest make_request(const BaselineOptions& o, Session& session) {
    BaselineRequest request;
    request.size = session.size();
    request.seed = o.evaluate.seed.value_or(random_seed() >> 1U);  // SQLite's integers are signed
    request.settings = o.settings;
    if (o.no_compile) {
        request.settings.compile_timeout = 0;
    }
    request.seconds = o.seconds;
    request.peaks = peaks_of(session.device().product());
    const bool cuda = session.device().kind() == "cuda";
    request.jobs = o.jobs > 0 ? o.jobs : std::min(most_jobs, cuda ? processors() : 1);
    request.memory_bytes = request.peaks ? gpu_memory_share * request.peaks->memory_gb * 1e9 : 0;
    return request;
}

int measure(const BaselineOptions& o) {
    Session session(o.evaluate);
    const auto chosen = chosen_problems(o, session.catalogue());
    session.prepare();
    BaselineRequest request = make_request(o, session);
    // With many references compiling at once, each needs no pool of its own.
    session.station().set_host_variable("TORCHINDUCTOR_COMPILE_THREADS",
                                        std::to_string(std::max(1, processors() / request.jobs)));
    request.problems = o.resume ? without_stored(chosen, o, session) : chosen;
    const auto progress = make_progress(!o.evaluate.json);
    std::size_t measured = 0;
    std::size_t failed = 0;
    const auto keep = [&](Baseline& baseline) {
        baseline.id = random_id();
        baseline.created = utc_now();
        baseline.evaluator = evaluator_digest(session.layout(), o.evaluate.settings);
        baseline.device = session.device().name();
        baseline.gpu = session.device().product();
        if (!session.device().driver().empty()) {
            baseline.facts.emplace_back("driver", session.device().driver());
        }
        insert_baseline(session.store().database(), baseline);
        ++(baseline.failure.empty() ? measured : failed);
    };
    const std::size_t left = run_baselines(
        request,
        {session.device(), Station::work_folder(), [&session]() -> Host& { return session.station().host(); },
         [&session] { session.station().discard_host(); }, *progress},
        keep);
    print(o, stored_rows(o, session.catalogue(), session.store(), session.device().product(), request.size));
    std::cerr << measured << " measured, " << failed << " could not be, " << left
              << " left for lack of time, " << chosen.size() - request.problems.size()
              << " were there before; stored in " << session.database().string() << "\n";
    return failed == 0 && left == 0 ? exit_success : exit_no_success;
}

}  // namespace

void add_baseline(CLI::App& app, Action& chosen) {
    CLI::App* const command = app.add_subcommand(
        "baseline", "Measure the references: eager and torch.compile times, memory, share of the roofline");
    const auto o = std::make_shared<BaselineOptions>();
    command->add_option("ID", o->ids, "Problem ids, such as L2_076 (default: all)");
    command->add_option("--level", o->filter.level, "Only this level")->check(CLI::Range(1, 9));
    command->add_option("--family", o->filter.family, "Only this family, such as matmul or norm");
    add_machine_options(*command, o->evaluate);
    command->add_flag("--resume", o->resume,
                      "Leave out what is stored of the same problem, GPU, size and PyTorch");
    command->add_flag("--retry", o->retry, "With --resume: measure those without a compiled time again");
    command->add_flag("--no-compile", o->no_compile, "Leave torch.compile out");
    command
        ->add_option("--compile-timeout", o->settings.compile_timeout,
                     "Seconds that torch.compile of one may take")
        ->check(CLI::Range(1.0, 86400.0))
        ->capture_default_str();
    command->add_option("--rounds-seconds", o->settings.seconds, "Seconds of timed rounds of one, about")
        ->check(CLI::Range(0.01, 3600.0))
        ->capture_default_str();
    command->add_option("--time-budget", o->seconds, "Begin nothing that would end after so many seconds")
        ->check(CLI::Range(1.0, 1e6));
    command
        ->add_option("--jobs", o->jobs,
                     "References prepared and compiled at once; timed one by one (default: 12 on a GPU, 1 on "
                     "the CPU)")
        ->check(CLI::Range(1, 64));
    command->add_option("--seed", o->evaluate.seed, "Base seed of weights and inputs (default: random)")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62U));
    command->add_option("--out", o->out, "Folder for baselines.md and baselines.json");
    command->add_flag("--show", o->show, "Print what is stored and measure nothing");
    command->add_flag("--json", o->evaluate.json, "Print a JSON object and nothing else");
    command->footer(
        "Examples:\n"
        "  kbeval baseline --level 1 --resume --time-budget 450 --out results/baselines\n"
        "  kbeval baseline L1_019 --device cpu --no-compile\n"
        "Exit status: 0 all measured, 1 some could not be or were left for lack of time, 2 bad usage or "
        "input, 3 infrastructure failed.");
    command->callback([&chosen, o] { chosen = [o] { return o->show ? show(*o) : measure(*o); }; });
}

}  // namespace kbeval::cli
