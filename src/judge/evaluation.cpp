#include "judge/evaluation.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "judge/blame.h"
#include "judge/reference_side.h"
#include "judge/stages.h"
#include "judge/verdict_record.h"
#include "runner/environment.h"

namespace kbeval {

namespace {

constexpr double ready_seconds = 60;

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
            if (failure.role() != "candidate") {
                reference_.doubt();
            }
            const std::string log = log_of(failure.role());
            const Blame result = blame(failure, stage_, settings_, log);
            settle(result.status, result.message);
        } catch (const std::exception& error) {
            reference_.doubt();
            settle(Status::infra_error, error.what());
        }
        end_stage();
        context_.progress.finish();
        record_conditions(verdict_, context_.device);
        conclude(verdict_);
        Judgement judgement{std::move(verdict_), log_of("candidate"), {}};
        reference_.put_away();
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
        reference_.start(
            sandbox_config(context_.layout, context_.device, context_.hidden),
            candidate_environment(context_.layout, context_.device, context_.scratch / "candidate"));
        bench_ = reference_.bench();
        record_sandbox(verdict_, bench_->runner("candidate").await_ready(ready_seconds));
    }

    /// The candidate compiles while the reference is prepared.
    void build() {
        enter("build");
        const auto begin = SteadyClock::now();
        Runner& candidate = bench_->runner("candidate");
        candidate.post(protocol::Build{request_.candidate.text, "candidate.py", nlohmann::json::object()});
        reference_.prepare();
        candidate.await(settings_.build_timeout - seconds_since(begin));
    }

    void construct() {
        enter("construct");
        Runner& candidate = bench_->runner("candidate");
        const bool stops = !off("freeze") && candidate.keep_frozen();
        verdict_.conditions.emplace_back("candidate_stopped_between_turns", stops ? "yes" : "no");
        candidate.request(reference_.construction(), settings_.build_timeout);
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
        bench_->await_leaving();
        if (bench_->has("compiled")) {
            enter("torch.compile");
            reference_.await_compiled();
        }
        enter("timing");
        StageContext stage = stage_context();
        time_subjects(stage);
    }

    // ---- helpers

    [[nodiscard]] bool off(const std::string& layer) const {
        return std::find(settings_.layers_off.begin(), settings_.layers_off.end(), layer) !=
               settings_.layers_off.end();
    }

    StageContext stage_context() {
        return {request_, *bench_, context_.device, context_.progress, verdict_, facts_};
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

    const EvaluationRequest& request_;
    const EvaluationContext& context_;
    const Settings& settings_;
    Verdict verdict_;
    StaticCheckResult facts_;
    ReferenceSide reference_{request_, context_, verdict_};
    Bench* bench_ = nullptr;  ///< of reference_
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
