#pragma once

#include <vector>

namespace kbeval {

/// One round of a trusted subject (the reference) and another as two clocks saw it, in milliseconds.
struct ClockRound {
    double trusted_wall = 0;    ///< judge's clock around the trusted subject's block
    double trusted_device = 0;  ///< sum of its own times
    double other_wall = 0;
    double other_device = 0;
    int forwards = 0;
};

struct ClockCheck {
    double judged_ms = 0;  ///< the other's time a forward by the judge's clock
    double device_ms = 0;  ///< by its own clock
    double noise_ms = 0;   ///< by how much the judge's may be longer
    bool agree = true;
};

/// Compares the two clocks.
///
/// What a block costs besides its forwards (flushing L2, copying outputs, one message) is the same for both
/// subjects, and the trusted one shows how much that is: wall - device. So the other's forwards took
/// `other_wall - (trusted_wall - trusted_device)` by a clock that it can't reach. They agree unless that
/// exceeds the other's own times, in the median over rounds, by more than 5 % and more than five times the
/// noise of the difference. A subject that claims more time than it took harms itself only, and is often just
/// one that costs the host less than the trusted one.
ClockCheck check_clocks(const std::vector<ClockRound>& rounds);

}  // namespace kbeval
