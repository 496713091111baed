#include "cli/session.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/random_id.h"
#include "cli/command.h"
#include "figures/report.h"
#include "judge/test_layers.h"

namespace kbeval::cli {

namespace {

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

EvaluateOptions with_layers_off(EvaluateOptions options) {
    options.settings.layers_off = layers_off_from_environment();
    return options;
}

}  // namespace

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

Size chosen_size(const std::string& name, const Device& device) {
    if (name.empty()) {
        return device.kind() == "cpu" ? Size::smoke : Size::full;
    }
    return name == "smoke" ? Size::smoke : Size::full;
}

Session::Session(const EvaluateOptions& options)
    : options_(with_layers_off(options)), layout_(find_layout()), catalogue_(layout_) {}

void Session::prepare() {
    database_ = options_.database.empty() ? default_database() : std::filesystem::path(options_.database);
    device_ = open_device(options_.device);
    require_harness(layout_);
    store_ = std::make_unique<Store>(Store::open(database_, Store::Mode::read_write));
    store_->prove_writable();
    store_->note_problems(problem_rows(names_of(catalogue_)));
    StationOptions station;
    station.layout = layout_;
    station.database = database_;
    station.keep_workdir = options_.keep_workdir;
    station_ = std::make_unique<Station>(station, *device_);
}

Size Session::size() const {
    return chosen_size(options_.size, *device_);
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
    Judgement judgement = station_->judge(request, has_code, progress);
    note_calibration(*store_, judgement.verdict);
    store_->record(judgement.verdict, request.candidate.text, judgement.log);
    return judgement.verdict;
}

void Session::time_against_itself(const Problem& problem, Size size, const std::vector<SelfTiming>& timings,
                                  Progress& progress,
                                  const std::function<bool(const SelfTimingResult&)>& done) {
    const EvaluationRequest request{
        Catalogue::load(problem, size), {}, true, size, timings.front().seed, "", options_.settings};
    station_->time_against_itself(request, timings, progress, done);
}

void Session::record(Calibration& calibration) {
    calibration.id = random_id();
    calibration.created = utc_now();
    calibration.evaluator = evaluator_digest(layout_, options_.settings);
    calibration.device = device_->name();
    calibration.gpu = device_->product();
    store_->record(calibration);
}

void note_calibration(Store& store, Verdict& verdict) {
    if (verdict.kind == "run") {
        const auto calibration = store.newest_calibration(verdict.evaluator, verdict.gpu, false);
        verdict.conditions.emplace_back("calibration", calibration ? calibration->id : "none");
    }
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
