#pragma once

#include "judge/stages.h"

namespace kbeval {

/// Sums up, over the seeds of the correctness stage, how far reference and candidate are from the reference
/// in float64 (weights and inputs upcast). Does nothing unless the settings ask for it.
class ExactOracle {
  public:
    /// How much larger than the candidate's the reference's rms error must be for the flag: below that the
    /// two are of one accuracy.
    static constexpr double clearly_larger = 1.5;

    explicit ExactOracle(StageContext& context) : context_(context) {}

    /// Both have delivered their outputs of `slot`. Keeps verdict.precision and the flag
    /// `reference_less_accurate` up to date. A reference that does not run in float64 costs a note, not the
    /// verdict.
    void measure(int slot);

  private:
    void conclude();

    StageContext& context_;
    protocol::ExactError reference_;
    protocol::ExactError candidate_;
    int seeds_ = 0;
    bool failed_ = false;
};

}  // namespace kbeval
