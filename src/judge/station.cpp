#include "judge/station.h"

#include <spdlog/spdlog.h>

#include <iostream>

#include "base/error.h"
#include "base/file.h"
#include "runner/environment.h"

namespace kbeval {

namespace {

constexpr std::size_t max_note_bytes = 1000;

}  // namespace

Station::Station(StationOptions options, Device& device) : options_(std::move(options)), device_(device) {}

std::filesystem::path Station::work_folder() {
    return cache_directory() / "work";
}

Station::~Station() {
    discard_host();
}

void Station::discard_host() {
    reference_.reset();
    host_.reset();
}

Host& Station::host() {
    if (!host_) {
        auto environment = host_environment(options_.layout, device_);
        environment.insert(host_variables_.begin(), host_variables_.end());
        host_ = std::make_unique<Host>(
            HostOptions{find_python(options_.layout), options_.layout.harness(), environment});
    }
    return *host_;
}

EvaluationContext Station::context(const std::filesystem::path& scratch, Progress& progress) {
    const std::filesystem::path folder = std::filesystem::absolute(options_.database).parent_path();
    return {options_.layout,         device_, [this]() -> Host& { return host(); }, scratch,
            {folder, work_folder()}, progress};
}

void Station::time_against_itself(const EvaluationRequest& request, const std::vector<SelfTiming>& timings,
                                  Progress& progress,
                                  const std::function<bool(const SelfTimingResult&)>& done) {
    const TemporaryDirectory scratch(work_folder(), "calibration");
    try {
        kbeval::time_against_itself(request, context(scratch.path(), progress), timings, done);
    } catch (const Error&) {
        discard_host();
        throw;
    }
}

Judgement Station::judge(const EvaluationRequest& request, bool has_code, Progress& progress) {
    Judgement judgement = judge_once(request, has_code, progress);
    std::vector<std::string> failures;
    while (judgement.verdict.status == Status::infra_error && (host_ || options_.retry_start) &&
           static_cast<int>(failures.size()) + 1 < options_.attempts) {
        spdlog::warn("judging again after an infrastructure failure: {}", judgement.verdict.message);
        discard_host();
        failures.push_back(judgement.verdict.message.substr(0, max_note_bytes));
        judgement = judge_once(request, has_code, progress);
    }
    static constexpr std::array<const char*, 4> times{"", "a second", "a third", "another"};
    if (!failures.empty()) {
        judgement.verdict.notes.push_back(
            std::string("judged ") + times[std::min<std::size_t>(failures.size(), 3)] +
            " time: the one before ended with an infrastructure failure: " + failures.back());
    }
    return judgement;
}

Judgement Station::judge_once(const EvaluationRequest& request, bool has_code, Progress& progress) {
    TemporaryDirectory scratch(work_folder(), "evaluation");
    if (options_.keep_reference && !references_) {
        references_ = std::make_unique<TemporaryDirectory>(work_folder(), "reference");
    }
    if (options_.keep_workdir) {
        scratch.keep();
        std::cerr << "kept " << scratch.path().string() << "\n";
    }
    EvaluationContext surroundings = context(scratch.path(), progress);
    if (options_.keep_reference) {
        surroundings.reference_scratch = references_->path();
        surroundings.reference = &reference_;
    }
    Judgement judgement = has_code ? evaluate(request, surroundings)
                                   : Judgement{no_code_verdict(request, surroundings), "", {}};
    if (host_) {
        judgement.spans = host_->take_spans();
    }
    return judgement;
}

}  // namespace kbeval
