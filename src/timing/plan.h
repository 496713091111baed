#pragma once

namespace kbeval {

/// How a subject takes its turn: a block of untimed forwards, then of timed ones, each on a slot of its own.
struct BlockPlan {
    int timed = 1;  ///< timed forwards, and slots, a block
    int warm = 2;   ///< untimed forwards before them
};

struct BlockGoal {
    double forward_ms = 1;    ///< rough time of one forward
    double block_ms = 40;     ///< device time a block aims at
    double warm_ms = 8;       ///< device time of the untimed forwards
    int min_rounds = 10;      ///< rounds there will be at least
    int max_pairs = 250;      ///< pairs there will be at most
    double slot_bytes = 0;    ///< memory one slot costs
    double memory_bytes = 0;  ///< memory that all slots may take; 0: not limited
};

/// Blocks long enough that a turn's cold start and the judge's round trip don't count, short enough that at
/// least `min_rounds` rounds fit into `max_pairs` pairs and all slots into memory.
BlockPlan plan_block(const BlockGoal& goal);

}  // namespace kbeval
