#include "judge/evaluation.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "base/random_id.h"
#include "base/text.h"
#include "judge/blame.h"
#include "judge/stages.h"
#include "runner/environment.h"

namespace kbeval {

namespace {

constexpr double ready_seconds = 60;
constexpr double default_compile_seconds = 180;
constexpr std::uint64_t construction_seed = 42;

Verdict begin_verdict(const EvaluationRequest& request, const EvaluationContext& context) {
    Verdict v;
    v.id = random_id();
    v.created = utc_now();
    v.kind = request.timed ? "run" : "check";
    v.problem = request.problem.problem.id;
    v.problem_digest = request.problem.digest;
    v.candidate_digest = request.candidate.digest;
    v.label = request.label;
    v.evaluator = evaluator_digest(context.layout, request.settings);
    v.device = context.device.name();
    v.gpu = context.device.product();
    v.size = to_string(request.size);
    v.atol = request.settings.atol.value_or(request.problem.problem.atol);
    v.rtol = request.settings.rtol.value_or(request.problem.problem.rtol);
    v.seed = request.seed;
    v.seeds = request.settings.seeds;
    v.settings = settings_to_pairs(request.settings);
    for (const std::string& layer : request.settings.layers_off) {
        v.flags.push_back("layers_off:" + layer);
    }
    if (!context.device.driver().empty()) {
        v.versions.emplace_back("driver", context.device.driver());
    }
    return v;
}

/// One evaluation, stage by stage.
class Evaluation {
  public:
    Evaluation(const EvaluationRequest& request, const EvaluationContext& context)
        : request_(request),
          context_(context),
          settings_(request.settings),
          verdict_(begin_verdict(request, context)) {}

    Judgement run() {
        try {
            check_source();
            start_runners();
            build();
            construct();
            correctness();
            own_kernels();
            if (request_.timed) {
                timing();
            }
            verdict_.status = Status::correct;
        } catch (const Judged& end) {
            settle(end.status(), end.what());
        } catch (const RunnerFailure& failure) {
            reference_sound_ &= failure.role() == "candidate";
            const std::string log = log_of(failure.role());
            const Blame result = blame(failure, stage_, settings_, log);
            settle(result.status, result.message);
        } catch (const std::exception& error) {
            reference_sound_ = false;
            settle(Status::infra_error, error.what());
        }
        end_stage();
        context_.progress.finish();
        record_conditions();
        conclude(verdict_);
        Judgement judgement{std::move(verdict_), log_of("candidate"), {}};
        put_reference_away();
        return judgement;
    }

    /// The candidate's source is the reference's: no correctness stage and no own kernels, but every timed
    /// trial's outputs are compared as always.
    void run_against_itself(const std::vector<SelfTiming>& timings,
                            const std::function<bool(const SelfTimingResult&)>& done) {
        try {
            start_runners();
            build();
            construct();
            for (const SelfTiming& timing : timings) {
                if (!done(time_once(timing))) {
                    return;
                }
            }
        } catch (const Judged& end) {
            throw infrastructure_error(request_.problem.problem.id + " against itself: " + end.what());
        } catch (const RunnerFailure& failure) {
            throw infrastructure_error(request_.problem.problem.id + " against itself: " + failure.what());
        }
    }

  private:
    SelfTimingResult time_once(const SelfTiming& timing) {
        EvaluationRequest request = request_;
        request.seed = timing.seed;
        SelfTimingResult result{begin_verdict(request, context_), 0};
        StageContext stage{request, *bench_, context_.device, context_.progress, result.verdict, facts_};
        stage.calibrating = true;
        stage.gain = timing.gain;
        time_subjects(stage);
        result.verdict.status = Status::correct;
        conclude(result.verdict);
        result.handicap_us = stage.handicap_us;
        return result;
    }

    // ---- stages

    void check_source() {
        enter("static check");
        facts_ = request_.facts ? *request_.facts
                                : static_check(request_.candidate.text, context_.device.kind(),
                                               find_python(context_.layout), context_.layout.harness());
        stage_start_ -= std::chrono::duration_cast<SteadyClock::duration>(Seconds(request_.facts_seconds));
        for (const Violation& warning : facts_.warnings) {
            if (warning.rule == "reader-addressed-text") {
                add_flag(verdict_, "reader_addressed_text: audit");
            }
        }
        if (!facts_.ok && !off("static_check")) {
            throw Judged(Status::forbidden, describe(facts_.violations));
        }
        require_compilers();
    }

    /// A machine without a compiler is no fault of the candidate that needs it.
    void require_compilers() const {
        const auto needs = [&](const char* kind) {
            return std::any_of(facts_.kernels.begin(), facts_.kernels.end(),
                               [kind](const OwnKernel& kernel) { return kernel.kind == kind; });
        };
        if (needs("cuda") && find_program("nvcc").empty() &&
            !std::filesystem::exists("/usr/local/cuda/bin/nvcc")) {
            throw infrastructure_error(
                "the candidate has CUDA kernels and this machine no nvcc: install the CUDA "
                "toolkit and put nvcc on the PATH");
        }
        if ((needs("cuda") || needs("cpp")) && find_program("g++").empty() && find_program("c++").empty()) {
            throw infrastructure_error(
                "the candidate has C++ code and this machine no g++: apt-get install g++");
        }
    }

    void start_runners() {
        enter("start");
        Host& host = context_.host();
        for (const auto& [name, version] : host.versions()) {
            verdict_.versions.emplace_back(name, version);
        }
        take_reference_out();
        warm_ = reference_->bench != nullptr;
        const auto sandbox = sandbox_config(context_.layout, context_.device, context_.hidden);
        const auto environment =
            candidate_environment(context_.layout, context_.device, context_.scratch / "candidate");
        if (warm_) {
            bench_ = reference_->bench.get();
            bench_->change_candidate(context_.scratch, sandbox, environment);
            bench_->start("candidate");
        } else {
            BenchOptions options;
            options.device = context_.device.kind() == "cuda" ? 0 : -1;  // the host sees only this GPU
            options.scratch = context_.reference ? context_.reference_scratch : context_.scratch;
            options.candidate_scratch = context_.scratch;
            options.sandbox = sandbox;
            options.candidate_environment = environment;
            reference_->bench = std::make_unique<Bench>(host, options);
            bench_ = reference_->bench.get();
            for (const char* role : {"oracle", "eager", "candidate"}) {
                bench_->start(role);
            }
            if (compiles()) {
                bench_->start("compiled");
            }
            for (const char* role : {"oracle", "eager"}) {
                bench_->runner(role).await_ready(ready_seconds);
            }
        }
        record_sandbox(bench_->runner("candidate").await_ready(ready_seconds));
    }

    /// The kept reference where it is this problem's, else an empty one; what was kept for another problem
    /// goes.
    void take_reference_out() {
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

    /// Keeps it for the next candidate unless something about it is in doubt.
    void put_reference_away() {
        if (!reference_ || !reference_->bench || !context_.reference || !reference_sound_) {
            return;
        }
        try {
            bench_->stop("candidate");
            *context_.reference = std::move(reference_);
        } catch (const Error& error) {
            spdlog::debug("the reference is not kept: {}", error.what());  // the host is gone
        }
    }

    /// The candidate compiles while the reference is prepared.
    void build() {
        enter("build");
        const auto build_deadline = SteadyClock::now();
        const auto& problem = request_.problem;
        const nlohmann::json& overrides = problem.problem.overrides(request_.size);
        const protocol::Build reference{problem.source, problem.problem.file.string(), overrides};
        bench_->runner("candidate")
            .post(protocol::Build{request_.candidate.text, "candidate.py", nlohmann::json::object()});
        if (warm_) {
            renew_reference();
        } else {
            make_reference(reference);
        }
        reference_sound_ = true;
        bench_->runner("candidate").await(settings_.build_timeout - seconds_since(build_deadline));
    }

    /// Weights and inputs of this evaluation's own in the regions of a kept reference.
    void renew_reference() {
        // The last candidate's work may go on until its processes are gone: nothing is drawn before.
        bench_->await_leaving();
        bench_->clear_outputs();
        bench_->draw_weights(seed(SeedStream::weights, 0));
        bench_->draw_inputs({first_slot}, {seed(SeedStream::correctness, 0)});
        bench_->runner("eager").request(protocol::SyncWeights{}, reference_seconds);
        verdict_.compile_note = reference_->compile_note;
    }

    void make_reference(const protocol::Build& reference) {
        const auto& problem = request_.problem;
        bench_->runner("eager").post(reference);
        reference_->init_args = bench_->load_problem(problem, problem.problem.overrides(request_.size));
        bench_->draw_weights(seed(SeedStream::weights, 0));
        bench_->plan_inputs(seed(SeedStream::correctness, 0));
        bench_->allocate(first_slot + 1);
        bench_->draw_inputs({first_slot}, {seed(SeedStream::correctness, 0)});
        prepare_reference("eager");
        const Answer probe = bench_->runner("eager").request(protocol::Probe{first_slot}, reference_seconds);
        std::vector<std::string> subjects{"eager", "candidate"};
        if (compiles()) {
            subjects.emplace_back("compiled");
        }
        bench_->define_outputs(probe.result, subjects);
        bench_->allocate(first_slot + 1);
        bench_->attach("eager", reference_seconds);
        start_compiling(reference);
        reference_->compile_note = verdict_.compile_note;
    }

    void prepare_reference(const std::string& role) {
        Runner& runner = bench_->runner(role);
        runner.await(reference_seconds);  // build
        runner.request(construction(), reference_seconds);
        bench_->attach(role, reference_seconds);
        runner.request(protocol::SyncWeights{}, reference_seconds);
    }

    /// torch.compile of the reference goes on beside everything else; whoever times waits for it.
    void start_compiling(const protocol::Build& reference) {
        if (!compiles()) {
            verdict_.compile_note = !request_.timed             ? "not measured by check"
                                    : settings_.compile_timeout ? "left out (--compile-timeout 0)"
                                                                : "not measured on the CPU device";
            return;
        }
        try {
            Runner& runner = bench_->runner("compiled");
            runner.await_ready(ready_seconds);
            runner.post(reference);
            runner.post(construction());
            bench_->post_attach("compiled");
            runner.post(protocol::SyncWeights{});
            runner.post(protocol::Compile{first_slot});
            reference_->compile_start = SteadyClock::now();
            reference_->compiling = true;
        } catch (const RunnerFailure& failure) {
            drop_compiled(failure);
        }
    }

    void construct() {
        enter("construct");
        Runner& candidate = bench_->runner("candidate");
        const bool stops = !off("freeze") && candidate.keep_frozen();
        verdict_.conditions.emplace_back("candidate_stopped_between_turns", stops ? "yes" : "no");
        candidate.request(construction(), settings_.build_timeout);
        bench_->attach("candidate", settings_.forward_timeout);
        candidate.request(protocol::SyncWeights{}, settings_.forward_timeout);
    }

    void correctness() {
        enter("correctness");
        StageContext stage = stage_context();
        check_correctness(stage);
    }

    void own_kernels() {
        enter("own kernels");
        StageContext stage = stage_context();
        check_own_kernels(stage);
    }

    void timing() {
        await_compiled();
        enter("timing");
        StageContext stage = stage_context();
        time_subjects(stage);
    }

    void await_compiled() {
        bench_->await_leaving();
        if (!bench_->has("compiled")) {
            return;
        }
        enter("torch.compile");
        const int answers_due =
            reference_->compiling ? 5 : 0;  // build, construct, attach, sync_weights, compile
        try {
            for (int i = 0; i < answers_due; ++i) {
                bench_->runner("compiled")
                    .await(compile_seconds() - seconds_since(reference_->compile_start));
            }
            reference_->compiling = false;
            // Weights were redrawn since it took its own.
            bench_->runner("compiled").request(protocol::SyncWeights{}, reference_seconds);
        } catch (const RunnerFailure& failure) {
            drop_compiled(failure);
        }
    }

    // ---- helpers

    [[nodiscard]] bool off(const std::string& layer) const {
        return std::find(settings_.layers_off.begin(), settings_.layers_off.end(), layer) !=
               settings_.layers_off.end();
    }

    /// Seconds that torch.compile of the reference may take; 0: it takes no part.
    [[nodiscard]] double compile_seconds() const {
        return settings_.compile_timeout.value_or(context_.device.kind() == "cpu" ? 0
                                                                                  : default_compile_seconds);
    }

    [[nodiscard]] bool compiles() const { return request_.timed && compile_seconds() > 0; }

    [[nodiscard]] std::uint64_t seed(SeedStream stream, std::uint64_t index) const {
        return stage_seed(request_, stream, index);
    }

    [[nodiscard]] protocol::Construct construction() const {
        // The same for every evaluation, since a kept reference was constructed before this one's seed was
        // drawn. It decides only constants that are no parameters or buffers; those are drawn anew.
        return {reference_->init_args, construction_seed};
    }

    StageContext stage_context() {
        return {request_, *bench_, context_.device, context_.progress, verdict_, facts_};
    }

    void drop_compiled(const RunnerFailure& failure) {
        verdict_.compile_note =
            failure.how() == RunnerFailure::How::deadline
                ? "torch.compile of the reference took longer than " + compact(compile_seconds()) + " s"
                : "torch.compile of the reference failed: " + std::string(failure.what()).substr(0, 500);
        bench_->stop("compiled");
        reference_->compile_note = verdict_.compile_note;
        reference_->compiling = false;
    }

    void enter(const std::string& stage) {
        end_stage();
        stage_ = stage;
        stage_start_ = SteadyClock::now();
        context_.progress.stage(stage);
    }

    void end_stage() {
        if (!stage_.empty()) {
            verdict_.stages.push_back({stage_, seconds_since(stage_start_)});
            spdlog::debug("{}: stage {} took {:.3f} s", request_.problem.problem.id, stage_,
                          verdict_.stages.back().seconds);
            context_.progress.done();
            stage_.clear();
        }
    }

    void settle(Status status, const std::string& message) {
        verdict_.status = status;
        verdict_.message =
            replace_all(to_valid_utf8(message), (context_.scratch / "candidate").string() + "/", "");
    }

    std::string log_of(const std::string& role) {
        return bench_ && bench_->has(role) ? bench_->runner(role).log() : "";
    }

    void record_sandbox(const nlohmann::json& report) {
        std::vector<std::string> missing;
        if (report.contains("missing") && report["missing"].is_array()) {
            for (const auto& item : report["missing"]) {
                missing.push_back(item.value("layer", "") + " (" + item.value("reason", "") + ")");
            }
        }
        verdict_.conditions.emplace_back("sandbox",
                                         missing.empty() ? "complete" : "without " + join(missing, ", "));
    }

    void record_conditions() {
        if (const auto state = context_.device.sample()) {
            verdict_.conditions.emplace_back("sm_mhz", std::to_string(state->sm_mhz));
            verdict_.conditions.emplace_back("memory_mhz", std::to_string(state->memory_mhz));
            verdict_.conditions.emplace_back("temperature_c", std::to_string(state->temperature_c));
            verdict_.conditions.emplace_back("power_w", std::to_string(state->power_w));
            verdict_.conditions.emplace_back("throttle_reasons", std::to_string(state->throttle_reasons));
            verdict_.conditions.emplace_back("compute_processes", std::to_string(state->compute_processes));
        }
    }

    const EvaluationRequest& request_;
    const EvaluationContext& context_;
    const Settings& settings_;
    Verdict verdict_;
    StaticCheckResult facts_;
    std::unique_ptr<Reference> reference_;
    Bench* bench_ = nullptr;        ///< of reference_
    bool warm_ = false;             ///< the reference was kept from a candidate before
    bool reference_sound_ = false;  ///< it is made, and nothing casts doubt on it
    std::string stage_;
    SteadyClock::time_point stage_start_;
};

}  // namespace

Judgement evaluate(const EvaluationRequest& request, const EvaluationContext& context) {
    return Evaluation(request, context).run();
}

void time_against_itself(const EvaluationRequest& request, const EvaluationContext& context,
                         const std::vector<SelfTiming>& timings,
                         const std::function<bool(const SelfTimingResult&)>& done) {
    EvaluationRequest own = request;
    std::string source = request.problem.source + "\n\nModelNew = Model\n";
    for (const auto& [name, value] : request.problem.problem.overrides(request.size).items()) {
        source += name + " = " + value.dump() + "\n";  // numbers and lists read alike in JSON and Python
    }
    own.candidate = candidate_from_text(std::move(source), "the reference");
    own.settings.compile_timeout = 0;
    Evaluation(own, context).run_against_itself(timings, done);
}

Verdict no_code_verdict(const EvaluationRequest& request, const EvaluationContext& context) {
    Verdict verdict = begin_verdict(request, context);
    verdict.status = Status::no_code;
    verdict.message = "the reply holds no ```python block";
    conclude(verdict);
    return verdict;
}

}  // namespace kbeval
