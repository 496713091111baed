#include "judge/reference_side.h"

#include <spdlog/spdlog.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "judge/stages.h"

namespace kbeval {

namespace {

constexpr double ready_seconds = 60;
constexpr double default_compile_seconds = 180;
constexpr std::uint64_t construction_seed = 42;
constexpr int answers_to_compile = 5;  ///< build, construct, attach, sync_weights, compile

}  // namespace

ReferenceSide::ReferenceSide(const EvaluationRequest& request, const EvaluationContext& context,
                             Verdict& verdict)
    : request_(request), context_(context), verdict_(verdict) {}

void ReferenceSide::start(const nlohmann::json& sandbox,
                          const std::map<std::string, std::string>& environment) {
    take_out();
    warm_ = reference_->bench != nullptr;
    if (warm_) {
        bench()->change_candidate(context_.scratch, sandbox, environment);
        bench()->start("candidate");
        return;
    }
    BenchOptions options;
    options.device = context_.device.kind() == "cuda" ? 0 : -1;  // the host sees only this GPU
    options.scratch = context_.reference ? context_.reference_scratch : context_.scratch;
    options.candidate_scratch = context_.scratch;
    options.sandbox = sandbox;
    options.candidate_environment = environment;
    reference_->bench = std::make_unique<Bench>(context_.host(), options);
    for (const char* role : {"oracle", "eager", "candidate"}) {
        bench()->start(role);
    }
    if (compiles()) {
        bench()->start("compiled");
    }
    for (const char* role : {"oracle", "eager"}) {
        bench()->runner(role).await_ready(ready_seconds);
    }
}

void ReferenceSide::prepare() {
    if (warm_) {
        renew();
    } else {
        make();
    }
    sound_ = true;
}

/// The kept reference where it is this problem's, else an empty one; what was kept for another problem goes.
void ReferenceSide::take_out() {
    const auto& p = request_.problem;
    const std::string key = p.problem.id + " " + p.digest + " " + to_string(request_.size) + " " +
                            (compiles() ? compact(compile_seconds()) : "no compile");
    if (context_.reference && *context_.reference && (*context_.reference)->key == key) {
        reference_ = std::move(*context_.reference);
        return;
    }
    if (context_.reference) {
        context_.reference->reset();
    }
    reference_ = std::make_unique<Reference>();
    reference_->key = key;
}

void ReferenceSide::put_away() {
    if (!bench() || !context_.reference || !sound_) {
        return;
    }
    try {
        bench()->stop("candidate");
        *context_.reference = std::move(reference_);
    } catch (const Error& error) {
        spdlog::debug("the reference is not kept: {}", error.what());  // the host is gone
    }
}

/// Weights and inputs of this evaluation's own in the regions of a kept reference.
void ReferenceSide::renew() {
    // The last candidate's work may go on until its processes are gone: nothing is drawn before.
    bench()->await_leaving();
    bench()->clear_outputs();
    bench()->draw_weights(seed(SeedStream::weights));
    bench()->draw_inputs({first_slot}, {seed(SeedStream::correctness)});
    bench()->runner("eager").request(protocol::SyncWeights{}, reference_seconds);
    verdict_.compile_note = reference_->compile_note;
}

void ReferenceSide::make() {
    const auto& problem = request_.problem;
    const nlohmann::json& overrides = problem.problem.overrides(request_.size);
    const protocol::Build build{problem.source, problem.problem.file.string(), overrides};
    Runner& eager = bench()->runner("eager");
    eager.post(build);
    reference_->init_args = bench()->load_problem(problem, overrides);
    bench()->draw_weights(seed(SeedStream::weights));
    bench()->plan_inputs(seed(SeedStream::correctness));
    bench()->allocate(first_slot + 1);
    bench()->draw_inputs({first_slot}, {seed(SeedStream::correctness)});
    eager.await(reference_seconds);  // build
    eager.request(construction(), reference_seconds);
    bench()->attach("eager", reference_seconds);
    eager.request(protocol::SyncWeights{}, reference_seconds);
    const Answer probe = eager.request(protocol::Probe{first_slot}, reference_seconds);
    std::vector<std::string> subjects{"eager", "candidate"};
    if (compiles()) {
        subjects.emplace_back("compiled");
    }
    bench()->define_outputs(probe.result, subjects);
    bench()->allocate(first_slot + 1);
    bench()->attach("eager", reference_seconds);
    start_compiling(build);
    reference_->compile_note = verdict_.compile_note;
}

/// torch.compile of the reference goes on beside everything else; whoever times waits for it.
void ReferenceSide::start_compiling(const protocol::Build& build) {
    if (!compiles()) {
        verdict_.compile_note = !request_.timed                     ? "not measured by check"
                                : request_.settings.compile_timeout ? "left out (--compile-timeout 0)"
                                                                    : "not measured on the CPU device";
        return;
    }
    try {
        Runner& runner = bench()->runner("compiled");
        runner.await_ready(ready_seconds);
        runner.post(build);
        runner.post(construction());
        bench()->post_attach("compiled");
        runner.post(protocol::SyncWeights{});
        runner.post(protocol::Compile{first_slot});
        reference_->compile_start = SteadyClock::now();
        reference_->compiling = true;
    } catch (const RunnerFailure& failure) {
        drop_compiled(failure);
    }
}

void ReferenceSide::await_compiled() {
    if (!bench()->has("compiled")) {
        return;
    }
    const int answers_due = reference_->compiling ? answers_to_compile : 0;
    try {
        for (int i = 0; i < answers_due; ++i) {
            bench()->runner("compiled").await(compile_seconds() - seconds_since(reference_->compile_start));
        }
        reference_->compiling = false;
        // Weights were redrawn since it took its own.
        bench()->runner("compiled").request(protocol::SyncWeights{}, reference_seconds);
    } catch (const RunnerFailure& failure) {
        drop_compiled(failure);
    }
}

void ReferenceSide::drop_compiled(const RunnerFailure& failure) {
    verdict_.compile_note =
        failure.how() == RunnerFailure::How::deadline
            ? "torch.compile of the reference took longer than " + compact(compile_seconds()) + " s"
            : "torch.compile of the reference failed: " + std::string(failure.what()).substr(0, 500);
    bench()->stop("compiled");
    reference_->compile_note = verdict_.compile_note;
    reference_->compiling = false;
}

/// Seconds that torch.compile of the reference may take; 0: it takes no part.
double ReferenceSide::compile_seconds() const {
    return request_.settings.compile_timeout.value_or(
        context_.device.kind() == "cpu" ? 0 : default_compile_seconds);
}

bool ReferenceSide::compiles() const {
    return request_.timed && compile_seconds() > 0;
}

std::uint64_t ReferenceSide::seed(SeedStream stream) const {
    return stage_seed(request_, stream, 0);
}

protocol::Construct ReferenceSide::construction() const {
    // The same for every evaluation, since a kept reference was constructed before this one's seed was
    // drawn. It decides only constants that are no parameters or buffers; those are drawn anew.
    return {reference_->init_args, construction_seed};
}

}  // namespace kbeval
