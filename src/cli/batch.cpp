#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"
#include "batch/engine.h"
#include "batch/evaluator.h"
#include "batch/slurm.h"
#include "batch/sources.h"
#include "batch/summary.h"
#include "batch/trace.h"
#include "cli/batch_report.h"
#include "cli/batch_slurm.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/session.h"
#include "figures/report.h"
#include "judge/test_layers.h"
#include "report/record_text.h"
#include "report/terminal.h"
#include "store/runs.h"

namespace kbeval::cli {

namespace {

constexpr int record_attempts = 3;

struct BatchOptions {
    EvaluateOptions evaluate;
    std::string where;
    std::string gpus;
    std::string trace;
    std::size_t jobs = 0;  ///< 0: by the cores
    std::size_t limit = 0;
    double time_budget = 0;
    bool resume = false;
    bool fail_fast = false;
    std::string engine = "local";
    std::size_t shards = 1;              ///< of a Slurm array
    std::vector<std::string> sbatch;     ///< further options of sbatch
    std::string run_id;                  ///< of this shard's run; empty: a new one
    std::string shard;                   ///< "2/8": the third of eight
    std::vector<std::string> forwarded;  ///< options that every shard is given
};

/// Which shard of how many; 0 of 1 where nothing is said.
std::pair<std::size_t, std::size_t> parse_shard(const std::string& text) {
    if (text.empty()) {
        return {0, 1};
    }
    unsigned long number = 0;
    unsigned long count = 0;
    char more = 0;
    if (std::sscanf(text.c_str(), "%6lu/%6lu%c", &number, &count, &more) != 2 || number >= count) {
        throw Error(ErrorKind::usage, "--shard " + text + ": say 0/8 to 7/8 for eight shards");
    }
    return {number, count};
}

std::vector<std::string> device_names(const BatchOptions& o) {
    if (o.gpus.empty()) {
        return {o.evaluate.device};
    }
    std::vector<std::string> names;
    if (o.gpus == "all") {
        const std::size_t count = list_gpus().size();
        if (count == 0) {
            throw infrastructure_error("--gpus all: " + why_no_gpu());
        }
        for (std::size_t i = 0; i < count; ++i) {
            names.push_back("cuda:" + std::to_string(i));
        }
        return names;
    }
    std::set<std::string> seen;
    for (std::size_t begin = 0; begin <= o.gpus.size();) {
        const std::size_t end = std::min(o.gpus.find(',', begin), o.gpus.size());
        const std::string item = o.gpus.substr(begin, end - begin);
        const bool number = !item.empty() && item.find_first_not_of("0123456789") == std::string::npos;
        names.push_back(number ? "cuda:" + item : item);
        if (item.empty() || !seen.insert(names.back()).second) {
            throw Error(ErrorKind::usage, "--gpus " + o.gpus + ": name each GPU once, as in 0,1, or say all");
        }
        begin = end + 1;
    }
    return names;
}

/// One batch, from the command line to the exit status.
class Batch {
  public:
    explicit Batch(const BatchOptions& o) : o_(o), layout_(find_layout()), catalogue_(layout_.problems()) {}

    int run() {
        jobs_ = read_jobs(o_.evaluate.candidate, o_.where, catalogue_);
        database_ =
            o_.evaluate.database.empty() ? default_database() : std::filesystem::path(o_.evaluate.database);
        if (o_.engine == "slurm") {
            return run_on_slurm(jobs_,
                                {database_, o_.shards, o_.forwarded, o_.sbatch, o_.resume, o_.evaluate.json});
        }
        for (const std::string& name : device_names(o_)) {
            devices_.push_back(open_device(name));
        }
        require_harness(layout_);
        store_ = std::make_unique<Store>(Store::open(database_, Store::Mode::read_write));
        store_->prove_writable();
        store_->note_problems(problem_rows(names_of(catalogue_)));
        runs_ = std::make_unique<Runs>(*store_);
        size_ = chosen_size(o_.evaluate.size, *devices_.front());
        if (!o_.trace.empty()) {
            trace_ = std::make_unique<Trace>(o_.trace);
        }
        open_run();
        const EngineResult result = judge(left_over());
        runs_->finish(run_);
        return conclude(result);
    }

  private:
    /// Jobs, device, size and settings: what must be the same for a run to be gone on with.
    [[nodiscard]] std::string identity(const std::string& evaluator) const {
        Sha256 hash;
        hash.field(evaluator);
        hash.field(devices_.front()->product());
        hash.field(to_string(size_));
        hash.field(o_.evaluate.seed ? std::to_string(*o_.evaluate.seed) : "random");
        hash.field(o_.evaluate.label);
        for (const Job& job : jobs_) {
            hash.field(job.key);
        }
        return hash.hex();
    }

    void open_run() {
        RunHeader header;
        header.id = o_.run_id;
        header.source = o_.evaluate.candidate;
        header.evaluator = evaluator_digest(layout_, o_.evaluate.settings);
        header.identity = identity(header.evaluator);
        header.gpu = devices_.front()->product();
        header.size = to_string(size_);
        std::optional<Runs::Key> found;
        if (o_.resume) {
            found = runs_->find(header);
            if (!found) {
                std::cerr << "no run of these candidates, this evaluator and these settings is in "
                          << database_.string() << ": a new one begins\n";
            }
        }
        if (!found) {
            std::vector<JobRow> rows;
            rows.reserve(jobs_.size());
            for (const Job& job : jobs_) {
                rows.push_back({job.key, job.problem, job.label, job.arm, job.reader});
            }
            found = runs_->begin(header, rows);
        }
        run_ = *found;
        std::cerr << (o_.resume ? "run " : "new run ") << header.id.substr(0, 8) << ", " << jobs_.size()
                  << " candidates\n";
    }

    /// What --resume need not do again is left out; an infra_error is no verdict.
    std::vector<Job> left_over() {
        std::set<std::string> done;
        for (const JudgedJob& job : runs_->judged(run_)) {
            if (job.verdict.status != Status::infra_error) {
                done.insert(job.job);
            }
        }
        before_ = done.size();
        const auto [shard, shards] = parse_shard(o_.shard);
        const std::vector<std::size_t> shard_of = shard_of_jobs(jobs_, shards);
        std::vector<Job> left;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            const bool full = o_.limit != 0 && left.size() >= o_.limit;
            if (shard_of[i] == shard && !full && !done.contains(jobs_[i].key)) {
                left.push_back(jobs_[i]);
            }
        }
        return left;
    }

    EngineResult judge(const std::vector<Job>& left) {
        EvaluatorOptions options;
        options.station.layout = layout_;
        options.station.database = database_;
        options.station.keep_workdir = o_.evaluate.keep_workdir;
        options.station.keep_reference = true;
        options.station.attempts = 3;
        options.station.retry_start =
            true;  // a host that was killed while it started is no reason to give up
        options.size = size_;
        options.settings = o_.evaluate.settings;
        options.seed = o_.evaluate.seed;
        options.label = o_.evaluate.label;
        options.trace = trace_.get();
        EngineOptions engine;
        engine.workers = devices_.size();
        const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
        engine.builders = o_.jobs > 0 ? o_.jobs : std::clamp<std::size_t>(cores / 4, 1, 16);
        engine.ahead = 2 * engine.workers + 2 * engine.builders;
        engine.seconds = o_.time_budget;
        engine.fail_fast = o_.fail_fast;
        std::vector<std::string> problems;
        problems.reserve(left.size());
        for (const Job& job : left) {
            problems.push_back(job.problem);
        }
        Evaluator evaluator(options, left, catalogue_, std::move(devices_));
        Pace pace(left.size());
        const auto start = SteadyClock::now();
        return run_batch(evaluator, problems, engine, [&](std::size_t index, const Judgement& judgement) {
            const Job& job = left[index];
            store(job, judgement);
            pace.done(seconds_since(start));
            report(job, judgement.verdict, pace);
            return exit_status(judgement.verdict) != exit_success;
        });
    }

    /// A database that is locked or a disk that is full may be no more in a while; a verdict costs minutes.
    void store(const Job& job, Judgement judgement) {
        note_calibration(*store_, judgement.verdict);
        for (int attempt = 1;; ++attempt) {
            try {
                if (!runs_->complete(run_, job.key, judgement.verdict, job.candidate.text, judgement.log)) {
                    std::cerr << "another process has judged " << job.problem << " "
                              << terminal_line(job.label) << " already: this verdict is dropped\n";
                }
                return;
            } catch (const Error& error) {
                if (attempt >= record_attempts || error.kind() != ErrorKind::infrastructure) {
                    throw;
                }
                std::cerr << "a verdict can't be stored yet, trying again: " << error.what() << "\n";
                std::this_thread::sleep_for(std::chrono::seconds(5));
            }
        }
    }

    void report(const Job& job, const Verdict& v, const Pace& pace) {
        if (o_.evaluate.json) {
            std::cout << dump_json(to_json(v), -1) << std::endl;
        }
        const std::string speedup = v.speedup ? "  " + significant(*v.speedup, 4) + "x" : "";
        std::cerr << "[" << pace.text(before_) << "]  " << job.problem << "  " << to_string(v.status)
                  << speedup << (v.success ? "  success" : "") << "  " << terminal_line(v.label) << std::endl;
    }

    int conclude(const EngineResult& result) {
        const int status = report_batch(runs_->judged(run_), jobs_.size(), result.stopped, o_.evaluate.json);
        return result.stopped.starts_with("no device") ? exit_infrastructure : status;
    }

    const BatchOptions& o_;
    Layout layout_;
    Catalogue catalogue_;
    std::vector<Job> jobs_;
    std::vector<std::unique_ptr<Device>> devices_;
    std::filesystem::path database_;
    std::unique_ptr<Store> store_;
    std::unique_ptr<Runs> runs_;
    std::unique_ptr<Trace> trace_;
    Size size_ = Size::full;
    Runs::Key run_ = 0;
    std::size_t before_ = 0;
};

/// The options that were given, but for those that only the submitting kbeval minds.
std::vector<std::string> forwarded_options(const CLI::App& command) {
    static const std::set<std::string> own{"engine", "shards", "sbatch", "shard", "run-id", "db",
                                           "resume", "where",  "trace",  "limit", "json",   "help"};
    std::vector<std::string> words;
    for (const CLI::Option* option : command.get_options()) {
        if (option->count() == 0 || option->get_lnames().empty() ||
            own.contains(option->get_lnames().front())) {
            continue;
        }
        const std::string name = "--" + option->get_lnames().front();
        if (option->get_expected_max() == 0) {
            words.push_back(name);
            continue;
        }
        for (const std::string& value : option->results()) {
            words.push_back(name + "=" + value);
        }
    }
    return words;
}

constexpr const char* footer =
    "SOURCE is one of\n"
    "  a folder     L2_076_anything.py in it, or any .py below a folder L2_076 of it\n"
    "  a manifest   JSON lines: {\"problem\": ID, \"path\": FILE or \"source\": TEXT, \"label\": TEXT, "
    "\"arm\": TEXT,\n"
    "               \"reader\": TEXT, \"reply\": true where it is a model's reply}; paths are relative to "
    "its folder\n"
    "  a database   what it holds is judged again: --where says which (default: success)\n"
    "Examples:\n"
    "  kbeval batch nightly.jsonl --db nightly.db --gpus all --resume\n"
    "  kbeval batch old.db --where \"success AND problem = 'L2_076'\" --db new.db\n"
    "  kbeval batch nightly.jsonl --db nightly.db --engine slurm --shards 8 --sbatch=--gres=gpu:1\n"
    "A batch that was killed at any instant goes on with --resume; no candidate is lost or judged twice.\n"
    "Exit status: the worst of its evaluations: 0 all are successes, 1 some are not, 3 infrastructure "
    "failed;\n"
    "2 bad usage or input.";

}  // namespace

void add_batch(CLI::App& app, Action& chosen) {
    CLI::App* const command = app.add_subcommand("batch", "Judge many candidates, on one GPU or several");
    const auto o = std::make_shared<BatchOptions>();
    command->add_option("SOURCE", o->evaluate.candidate, "Folder, manifest or database (see below)")
        ->required();
    add_shared_options(*command, o->evaluate, true);
    command->remove_option(command->get_option("--time-budget"));
    command
        ->add_option("--timing-budget", o->evaluate.settings.time_budget,
                     "Seconds for the timing stage of each")
        ->check(CLI::Range(0.1, 86400.0))
        ->capture_default_str();
    command->add_option("--where", o->where,
                        "Which evaluations of a database: an SQL condition over verdicts");
    command->add_option("--gpus", o->gpus, "all, or numbers such as 0,1: one runner host each")
        ->excludes(command->get_option("--device"));
    command->add_option("--jobs", o->jobs, "Builds and static checks at a time (default: by the cores)")
        ->check(CLI::Range(1, 256));
    command->add_flag("--resume", o->resume, "Go on with the run of these candidates that was not finished");
    command->add_option("--limit", o->limit, "Judge at most so many now")->check(CLI::Range(1, 100'000'000));
    command->add_option("--time-budget", o->time_budget, "Begin no evaluation after so many seconds")
        ->check(CLI::Range(0.1, 1e7));
    command->add_flag("--fail-fast", o->fail_fast, "Begin no evaluation after one that is no success");
    command->add_option("--trace", o->trace, "Write where the time goes to this file, for ui.perfetto.dev");
    command
        ->add_option("--engine", o->engine,
                     "local, or slurm: as a job array, each shard with a database of its own")
        ->check(CLI::IsMember({"local", "slurm"}));
    command->add_option("--shards", o->shards, "Elements of the Slurm array")->check(CLI::Range(1, 10'000));
    command
        ->add_option("--sbatch", o->sbatch,
                     "An option for sbatch, such as --sbatch=--gres=gpu:8; again for more")
        ->allow_extra_args(false);
    command->add_option("--shard", o->shard, "Judge one shard only: 0/8 to 7/8")->group("");
    command->add_option("--run-id", o->run_id, "Id of the run that the shards share")
        ->group("")
        ->check([](const std::string& id) {
            const bool good =
                id.size() == 32 && id.find_first_not_of("0123456789abcdef") == std::string::npos;
            return good ? std::string() : std::string("needs 32 hex digits");
        });
    command->footer(footer);
    command->callback([&chosen, o, command] {
        o->forwarded = forwarded_options(*command);
        chosen = [o] {
            o->evaluate.settings.layers_off = layers_off_from_environment();
            return Batch(*o).run();
        };
    });
}

}  // namespace kbeval::cli
