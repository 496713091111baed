#pragma once

#include <stdexcept>
#include <string>

#include "judge/bench.h"
#include "judge/evaluation.h"

namespace kbeval {

/// Ends an evaluation early with a status that is the candidate's.
class Judged : public std::runtime_error {
  public:
    Judged(Status status, const std::string& message) : std::runtime_error(message), status_(status) {}
    [[nodiscard]] Status status() const { return status_; }

  private:
    Status status_;
};

/// What the stages of one evaluation share.
struct StageContext {
    const EvaluationRequest& request;
    Bench& bench;
    Device& device;
    Progress& progress;
    Verdict& verdict;
    const StaticCheckResult& source_facts;
    bool calibrating = false;  ///< the candidate is a reference, and goes on after the stage
    double gain = 0;           ///< calibration: the reference is slowed by this share of its time
    double handicap_us = 0;    ///< and that is by so much; the timing stage sets it
};

/// Streams of seeds, so that no two uses share numbers.
enum class SeedStream : std::uint64_t {
    weights = 1,
    correctness = 2,
    timing = 3,
    bootstrap = 4,
    construct = 5
};
std::uint64_t stage_seed(const EvaluationRequest& request, SeedStream stream, std::uint64_t index);

/// Deadline in seconds of one request to a reference's runner: it is ours, so this only bounds a hang.
inline constexpr double reference_seconds = 300;

/// Slot that correctness uses, and that warm-up forwards read.
inline constexpr int first_slot = 0;

/// Compares outputs over the seeds; throws Judged(incorrect) at the first that differs. Fills
/// verdict.agreement.
void check_correctness(StageContext& context);

/// Finds which kernels ran; throws Judged(no_custom_kernel) where none is the candidate's own.
void check_own_kernels(StageContext& context);

/// Draws the weights again for every subject that is there. `index` says how often it was done.
void redraw_weights(StageContext& context, std::uint64_t index);

/// Interleaved timing of the subjects; fills times, speedups, trials and flags. Throws Judged.
void time_subjects(StageContext& context);

/// Adds a flag once.
void add_flag(Verdict& verdict, const std::string& flag);

/// Records in the verdict that the candidate's outputs of `slots` don't match, and throws Judged(incorrect).
/// The message says how far they are off, after `before` and followed by `after` (either may be empty).
/// Returns if all match; then the largest differences are kept in verdict.agreement.
void require_agreement(StageContext& context, const std::vector<protocol::Comparison>& comparisons,
                       const std::string& before, const std::string& after);

}  // namespace kbeval
