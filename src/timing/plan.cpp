#include "timing/plan.h"

#include <algorithm>
#include <cmath>

namespace kbeval {

namespace {
int forwards_for(double milliseconds, double forward_ms, int least, int most) {
    const double count = std::ceil(milliseconds / std::max(forward_ms, 1e-4));
    return static_cast<int>(std::clamp(count, static_cast<double>(least), static_cast<double>(most)));
}
}  // namespace

BlockPlan plan_block(const BlockGoal& goal) {
    BlockPlan plan;
    plan.timed =
        forwards_for(goal.block_ms, goal.forward_ms, 1, std::max(1, goal.max_pairs / goal.min_rounds));
    if (goal.memory_bytes > 0 && goal.slot_bytes > 0) {
        const double fit = std::floor(goal.memory_bytes / goal.slot_bytes);
        plan.timed = std::min(plan.timed, static_cast<int>(std::clamp(fit, 1.0, 1e6)));
    }
    plan.warm = forwards_for(goal.warm_ms, goal.forward_ms, 2, 64);
    return plan;
}

}  // namespace kbeval
