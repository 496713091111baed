#pragma once

#include <vector>

#include "stats/bootstrap.h"

namespace kbeval {

/// Whether the candidate's forwards differ so much among themselves that their median says nothing: the work
/// of many calls done in one, the others returning what was kept. Holds the speedup of the medians against
/// that of whole blocks (sums), which such a trick can't change; each is taken per round and the median of
/// rounds counts. Numerators are the reference's milliseconds, denominators the candidate's.
bool trials_uneven(const std::vector<PairedRound>& rounds);

}  // namespace kbeval
