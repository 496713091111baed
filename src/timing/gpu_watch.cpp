#include "timing/gpu_watch.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace kbeval {

GpuWatch::GpuWatch(const std::optional<GpuState>& start) {
    if (start) {
        processes_ = start->compute_processes;
        highest_mhz_ = start->sm_mhz;
    }
}

bool GpuWatch::spoiled(const std::optional<GpuState>& state) {
    if (!state || gave_up()) {
        return false;
    }
    highest_mhz_ = std::max(highest_mhz_, state->sm_mhz);
    if (state->spoils()) {
        ++throttled_;
    } else if (state->compute_processes > processes_) {
        ++crowded_;
    } else if (state->sm_mhz > 0 && state->sm_mhz < lowest_clock * highest_mhz_ &&
               !state->idle_or_at_power_cap()) {
        ++slowed_;
    } else {
        return false;
    }
    return true;
}

std::string GpuWatch::text() const {
    std::vector<std::string> reasons;
    const auto add = [&reasons](int count, const char* why) {
        if (count > 0) {
            reasons.push_back(std::to_string(count) + " " + why);
        }
    };
    add(throttled_, "while the GPU was throttled by heat or hardware");
    add(slowed_, "after its clock had dropped");
    add(crowded_, "beside another process that used it");
    return reasons.empty()
               ? ""
               : std::to_string(spoiled_rounds()) + " rounds were measured again: " + join(reasons, ", ");
}

}  // namespace kbeval
