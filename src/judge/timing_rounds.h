#pragma once

#include <optional>
#include <vector>

#include "protocol/messages.h"
#include "stats/bootstrap.h"
#include "timing/judge_clock.h"
#include "verdict/verdict.h"

namespace kbeval {

/// One block of forwards as the subject's clock and the judge's saw it.
struct SubjectBlock {
    protocol::BlockTimes times;
    double wall_ms = 0;
};

/// Every subject's block on the same inputs.
struct TimingRound {
    SubjectBlock eager;
    SubjectBlock candidate;
    std::optional<SubjectBlock> compiled;
};

/// Device times in ms of reference and candidate, trial by trial.
std::vector<PairedRound> paired_rounds(const std::vector<TimingRound>& rounds);

/// What both clocks say of the blocks of reference and candidate.
std::vector<BlockPair> block_pairs(const std::vector<TimingRound>& rounds);

/// Median device time in ms of the faster side.
double shorter_ms(const std::vector<TimingRound>& rounds);

// ---- what the verdict says of all rounds together

/// Trials, medians, mean of the ratios, and `speedup`, the ratio of the medians with its interval.
void conclude_times(Verdict& verdict, const std::vector<TimingRound>& rounds, const Interval& speedup);

/// The judge's clock; a flag where the candidate's own clock disagrees with it.
void conclude_clocks(Verdict& verdict, const std::vector<TimingRound>& rounds, const JudgeClock& clock);

/// Speedup against torch.compile, from the rounds that have it; none where its outputs were off by `off_by`.
void conclude_compiled(Verdict& verdict, const std::vector<TimingRound>& rounds,
                       const std::optional<double>& off_by);

}  // namespace kbeval
