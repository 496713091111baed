#pragma once

#include <cstdint>
#include <vector>

#include "stats/bootstrap.h"
#include "verdict/verdict.h"

namespace kbeval {

/// What the judge's own clock around whole blocks says.
struct JudgeClock {
    Interval speedup;       ///< of the candidate, by that clock
    double cand_ms = 0;     ///< candidate's time a forward by that clock
    double claimed_ms = 0;  ///< by the candidate's own, the mean over a block in the median over rounds
    double noise_ms = 0;    ///< by how much the judge's may be longer before the clocks disagree
    bool agree = true;
};

/// Draws the second estimate from blocks' wall times.
///
/// What a block costs besides its forwards (flushing L2, the host's head start, copying outputs, one message)
/// is the same for both subjects, and the trusted one shows in every round how much that is: wall - device.
/// So the candidate's forwards took `cand_wall - (ref_wall - ref_device)`, by a clock that it can't reach,
/// and speedup is the ratio of the medians over rounds of `ref_device` and of that; its interval resamples
/// rounds. A drift that lasts longer than a round cancels; medians outlive rare stalls.
///
/// The clocks disagree where the candidate claims less time than the judge saw, by more than 3 % and 5 us (on
/// a GPU 0.3 ms) a forward, and by more than five standard errors (from the median absolute deviation over
/// rounds) plus what a message's jitter of 50 us is worth. One that claims more time than it took harms
/// itself only.
///
/// All blocks have the same number of forwards; at least 4 rounds, else std::invalid_argument.
/// Beside a GPU each forward has host work of its own (synchronizing, launching, delivering: 0.7 to 1.1 ms on
/// an H200's host), which differs between two processes of the same code by up to 0.29 ms.
JudgeClock read_judge_clock(const std::vector<BlockPair>& blocks, std::uint64_t seed, bool gpu);

/// Whether a reference took clearly longer beside the candidate than alone: on a GPU by more than 5 % and 10
/// us; on a CPU, whose cores other programs use too, by more than half.
bool reference_slowed(double beside_ms, double alone_ms, bool gpu);

}  // namespace kbeval
