#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "candidate/source.h"
#include "candidate/static_check.h"
#include "device/device.h"
#include "judge/bench.h"
#include "judge/reference.h"
#include "judge/settings.h"
#include "problem/problem.h"
#include "report/progress.h"
#include "runner/host.h"
#include "verdict/verdict.h"

namespace kbeval {

/// What is to be judged, and how far.
struct EvaluationRequest {
    LoadedProblem problem;
    CandidateSource candidate;
    bool timed = true;  ///< false: CHECK, which ends after the own-kernel check
    Size size = Size::full;
    std::uint64_t seed = 0;  ///< from which every other seed derives
    std::string label;
    Settings settings;
    /// The static check's result where it was made ahead, and the seconds it took.
    std::optional<StaticCheckResult> facts = std::nullopt;
    double facts_seconds = 0;
};

/// The surroundings of an evaluation.
struct EvaluationContext {
    Layout layout;
    Device& device;
    std::function<Host&()> host;                ///< starts the runner host when first called
    std::filesystem::path scratch;              ///< folder for this evaluation alone
    std::vector<std::filesystem::path> hidden;  ///< what a candidate must not see: database, other work
    Progress& progress;
    /// Where the reference's runners are kept for the next candidate, and where they work; null: nowhere.
    std::unique_ptr<Reference>* reference = nullptr;
    std::filesystem::path reference_scratch = {};
};

/// A verdict with what the runners printed.
struct Judgement {
    Verdict verdict;
    std::string log;
    std::vector<Span> spans = {};  ///< what the runners did meanwhile, for traces
};

/// One timing of a reference against itself.
struct SelfTiming {
    double gain = 0;         ///< the reference is slowed by this share of its time; 0: identical code
    std::uint64_t seed = 0;  ///< base seed of its inputs and its bootstrap
};

/// What such a timing ended with.
struct SelfTimingResult {
    Verdict verdict;
    double handicap_us = 0;  ///< by how much each forward of the reference was slowed
};

/// Times the problem's reference against itself, once for each of `timings`, in one set of processes of the
/// usual kind (the candidate's is sandboxed): what an evaluation measures of identical code.
/// `request.candidate` is not looked at. Ends early when `done` returns false. Throws infrastructure errors.
void time_against_itself(const EvaluationRequest& request, const EvaluationContext& context,
                         const std::vector<SelfTiming>& timings,
                         const std::function<bool(const SelfTimingResult&)>& done);

/// Evaluates one candidate. Whatever the candidate does ends in a verdict; kbeval's own failures too, with
/// status infra_error.
Judgement evaluate(const EvaluationRequest& request, const EvaluationContext& context);

/// The verdict of a reply that holds no code.
Verdict no_code_verdict(const EvaluationRequest& request, const EvaluationContext& context);

}  // namespace kbeval
