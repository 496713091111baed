#pragma once

#include <functional>
#include <string>
#include <vector>

#include "judge/reference_bench.h"
#include "problem/roofline.h"
#include "report/progress.h"

namespace kbeval {

/// What `run_baselines` measures, and within which limits.
struct BaselineRequest {
    std::vector<Problem> problems;
    Size size = Size::full;
    std::uint64_t seed = 0;
    BaselineSettings settings;
    int jobs = 1;             ///< references prepared, and compiled, at once
    double memory_bytes = 0;  ///< that those may take together by their costs; 0: one at a time
    double seconds = 0;       ///< nothing begins that would probably end later; 0: no limit
    std::optional<GpuPeaks> peaks;
};

/// What a run needs of its surroundings. A host that fails is replaced by the next call of `host`.
struct BaselineSurroundings {
    Device& device;
    std::filesystem::path scratch;
    std::function<Host&()> host;
    std::function<void()> drop_host;
    Progress& progress;
};

/// Measures the problems, those of few operators first, and hands each baseline to `done` as soon as it is
/// there. A reference that can't be measured gives a baseline that says why; one that ran out of memory
/// beside others is tried again alone. Returns how many were left for lack of time.
std::size_t run_baselines(const BaselineRequest& request, const BaselineSurroundings& surroundings,
                          const std::function<void(Baseline&)>& done);

/// Bytes of GPU memory that a reference's processes may take by its costs, roughly.
double estimated_bytes(const Problem& problem);

}  // namespace kbeval
