#pragma once

#include <optional>
#include <string>

#include "problem/costs.h"

namespace kbeval {

/// What a GPU can do at most, by its data sheet.
struct GpuPeaks {
    std::string name;
    double fp32_tflops = 0;      ///< without tensor cores: references compute in strict fp32
    double memory_gb_per_s = 0;  ///< of 1e9 bytes
    double memory_gb = 0;
};

/// Peaks of a GPU by the name NVML gives it ("NVIDIA H200"); nothing for one that is not in the table.
/// Sources: NVIDIA's data sheets of the products.
std::optional<GpuPeaks> peaks_of(const std::string& gpu);

/// The GPU whose times are shown where no other is named.
inline constexpr const char* default_roofline_gpu = "NVIDIA H200";

/// Milliseconds that a forward takes at least where the GPU does all FLOPs at its peak and moves the least
/// bytes at its peak, both at once: the longer of the two (Williams, Waterman and Patterson 2009).
double roofline_ms(const ProblemCosts& costs, const GpuPeaks& peaks);

/// Whether memory is what bounds it.
bool memory_bound(const ProblemCosts& costs, const GpuPeaks& peaks);

}  // namespace kbeval
