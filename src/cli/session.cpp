#include "cli/session.h"

#include <spdlog/spdlog.h>

#include <iostream>
#include <random>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/command.h"
#include "figures/report.h"
#include "runner/environment.h"

namespace kbeval::cli {

namespace {

constexpr std::size_t max_note_bytes = 1000;

/// The libraries that the build makes; without them nothing can be judged, so this is said before anything
/// starts.
void require_harness(const Layout& layout) {
    if (find_python(layout).empty()) {
        throw infrastructure_error("no Python found", "run scripts/setup, or set KBEVAL_PYTHON");
    }
    for (const char* stem : {"kbeval_native", "libkbeval_sandbox"}) {
        if (find_built_library(layout, stem).empty()) {
            throw infrastructure_error(std::string("the library ") + stem + " is not built",
                                       "run scripts/setup (in a package: scripts/build-native)");
        }
    }
}

/// An older kbeval recorded a few of them in the verdict alone.
Settings stored_settings(const Verdict& v) {
    Settings settings = settings_from_pairs(v.settings);
    if (v.settings.empty()) {
        settings.seeds = v.seeds;
        settings.atol = v.atol;
        settings.rtol = v.rtol;
    }
    return settings;
}

Size chosen_size(const std::string& name, const Device& device) {
    if (name.empty()) {
        return device.kind() == "cpu" ? Size::smoke : Size::full;
    }
    return name == "smoke" ? Size::smoke : Size::full;
}

}  // namespace

Session::Session(const EvaluateOptions& options)
    : options_(options), layout_(find_layout()), catalogue_(layout_.problems()) {}

void Session::prepare() {
    database_ = options_.database.empty() ? default_database() : std::filesystem::path(options_.database);
    device_ = open_device(options_.device);
    require_harness(layout_);
    store_ = std::make_unique<Store>(Store::open(database_, Store::Mode::read_write));
    store_->prove_writable();
    store_->note_problems(problem_rows(names_of(catalogue_)));
}

std::filesystem::path Session::work_folder() {
    return cache_directory() / "work";
}

Size Session::size() const {
    return chosen_size(options_.size, *device_);
}

Host& Session::host() {
    if (!host_) {
        auto environment = host_environment(layout_, *device_);
        environment.insert(host_variables_.begin(), host_variables_.end());
        host_ = std::make_unique<Host>(HostOptions{find_python(layout_), layout_.harness(), environment});
    }
    return *host_;
}

Verdict Session::judge(const Problem& problem, const CandidateSource& source, const Judging& judging,
                       Progress& progress) {
    const Size size = chosen_size(options_.size, *device_);
    const EvaluationRequest request{Catalogue::load(problem, size),
                                    source,
                                    judging.timed,
                                    size,
                                    options_.seed  ? *options_.seed
                                    : judging.seed ? *judging.seed
                                                   : random_seed(),
                                    judging.label,
                                    options_.settings};
    return judge_and_store(request, judging.has_code, progress);
}

Verdict Session::judge_again(const EvaluationRecord& record, Progress& progress) {
    const Verdict& v = record.verdict;
    const Size size = v.size == "smoke" ? Size::smoke : Size::full;
    const EvaluationRequest request{Catalogue::load(problem(v.problem), size),
                                    candidate_from_text(record.source, "evaluation " + v.id),
                                    v.kind == "run",
                                    size,
                                    v.seed,
                                    "replay of " + v.id,
                                    stored_settings(v)};
    return judge_and_store(request, v.status != Status::no_code, progress);
}

Verdict Session::judge_and_store(const EvaluationRequest& request, bool has_code, Progress& progress) {
    Judgement judgement = judge_once(request, has_code, progress);
    if (judgement.verdict.status == Status::infra_error && host_) {
        spdlog::warn("judging again after an infrastructure failure: {}", judgement.verdict.message);
        host_.reset();
        const std::string first = judgement.verdict.message;
        judgement = judge_once(request, has_code, progress);
        judgement.verdict.notes.push_back(
            "judged a second time: the first ended with an infrastructure failure: " +
            first.substr(0, max_note_bytes));
    }
    Verdict& verdict = judgement.verdict;
    if (request.timed) {
        const auto calibration = store_->newest_calibration(verdict.evaluator, verdict.gpu, false);
        verdict.conditions.emplace_back("calibration", calibration ? calibration->id : "none");
    }
    store_->record(verdict, request.candidate.text, judgement.log);
    return verdict;
}

EvaluationContext Session::context(const std::filesystem::path& scratch, Progress& progress) {
    const std::filesystem::path folder = std::filesystem::absolute(database_).parent_path();
    return {layout_, *device_, [this]() -> Host& { return host(); }, scratch, {folder, work_folder()},
            progress};
}

Judgement Session::judge_once(const EvaluationRequest& request, bool has_code, Progress& progress) {
    TemporaryDirectory scratch(work_folder(), "evaluation");
    if (options_.keep_workdir) {
        scratch.keep();
        std::cerr << "kept " << scratch.path().string() << "\n";
    }
    const EvaluationContext surroundings = context(scratch.path(), progress);
    return has_code ? evaluate(request, surroundings) : Judgement{no_code_verdict(request, surroundings), ""};
}

void Session::time_against_itself(const Problem& problem, Size size, const std::vector<SelfTiming>& timings,
                                  Progress& progress,
                                  const std::function<bool(const SelfTimingResult&)>& done) {
    const EvaluationRequest request{
        Catalogue::load(problem, size), {}, true, size, timings.front().seed, "", options_.settings};
    const TemporaryDirectory scratch(work_folder(), "calibration");
    try {
        kbeval::time_against_itself(request, context(scratch.path(), progress), timings, done);
    } catch (const Error&) {
        host_.reset();
        throw;
    }
}

void Session::record(Calibration& calibration) {
    calibration.id = new_id();
    calibration.created = utc_now();
    calibration.evaluator = evaluator_digest(layout_, options_.settings);
    calibration.device = device_->name();
    calibration.gpu = device_->product();
    store_->record(calibration);
}

std::uint64_t random_seed() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

int exit_status(const Verdict& verdict) {
    if (verdict.status == Status::infra_error) {
        return exit_infrastructure;
    }
    // A check that ends well is what was asked for, though it is no success verdict.
    const bool good = verdict.kind == "check" ? verdict.status == Status::correct && !disqualified(verdict)
                                              : verdict.success;
    return good ? exit_success : exit_no_success;
}

}  // namespace kbeval::cli
