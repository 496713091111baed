#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "verdict/verdict.h"

namespace kbeval {

/// Something that two verdicts on the same candidate don't share.
struct Difference {
    std::string field;  ///< as in the verdict's JSON; `versions.torch` for a member
    std::string before;
    std::string after;
};

/// A stored verdict beside the one that judging again gave.
struct ReplayComparison {
    std::vector<Difference> outcome;  ///< status, message, flags, correctness figures, precision
    std::vector<Difference>
        surroundings;              ///< evaluator, GPU, problem, settings, versions: why they may differ
    bool timed = false;            ///< both hold a speedup
    bool speedup_in_both = false;  ///< each speedup lies in the other's interval
    bool intervals_overlap = false;

    /// The outcome is the same, to the last bit of the correctness figures, and the speedups are compatible:
    /// each of two honest estimates lies in the other's 95 % interval in three of four cases only, so their
    /// intervals need to overlap.
    [[nodiscard]] bool reproduced() const { return outcome.empty() && (!timed || intervals_overlap); }
};

ReplayComparison compare_replay(const Verdict& before, const Verdict& after);

/// {reproduced, outcome: [...], surroundings: [...], speedup: {...}, before, after}
nlohmann::ordered_json to_json(const ReplayComparison& comparison, const Verdict& before,
                               const Verdict& after);

}  // namespace kbeval
