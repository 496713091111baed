#pragma once

#include "stats/bootstrap.h"

namespace kbeval {

/// By how much two processes that run the same code differ: where memory lies decides which channels and
/// cache slices serve it, and that stays for the life of a process. No number of trials in one pair of
/// processes shows it; `kbeval calibrate` does, over many (docs/judge.md has the figures that these are
/// from).
struct ProcessSpread {
    double relative = 0.0035;  ///< of a forward's time
    double absolute_us = 3;    ///< of a forward, whatever its length
};

/// An interval of a speedup from one pair of processes, widened on both sides by what a second pair might
/// say: independent parts added in quadrature (JCGM 100:2008, GUM, section 5.1.2). `forward_ms`: the shorter
/// side's time, above 0.
Interval widened(const Interval& interval, double forward_ms, const ProcessSpread& spread);

}  // namespace kbeval
