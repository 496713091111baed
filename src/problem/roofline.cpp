#include "problem/roofline.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace kbeval {

namespace {

struct Row {
    std::string_view part;  ///< of the name; longer, more special parts stand before others
    double fp32_tflops;
    double memory_gb_per_s;
    double memory_gb;
};

constexpr std::array<Row, 12> table{{{"GH200", 67, 4000, 96},
                                     {"H200", 67, 4800, 141},
                                     {"H100 NVL", 60, 3900, 94},
                                     {"H100 PCIe", 51, 2000, 80},
                                     {"H100", 67, 3350, 80},
                                     {"A100-SXM4-80GB", 19.5, 2039, 80},
                                     {"A100 80GB PCIe", 19.5, 1935, 80},
                                     {"A100", 19.5, 1555, 40},
                                     {"L40S", 91.6, 864, 48},
                                     {"A10G", 31.2, 600, 24},
                                     {"RTX 4090", 82.6, 1008, 24},
                                     {"RTX 3090", 35.6, 936, 24}}};

double compute_ms(const ProblemCosts& costs, const GpuPeaks& peaks) {
    return static_cast<double>(costs.flops) / (peaks.fp32_tflops * 1e9);
}

double memory_ms(const ProblemCosts& costs, const GpuPeaks& peaks) {
    return static_cast<double>(costs.least_bytes) / (peaks.memory_gb_per_s * 1e6);
}

}  // namespace

std::optional<GpuPeaks> peaks_of(const std::string& gpu) {
    const auto* const found = std::find_if(table.begin(), table.end(), [&gpu](const Row& row) {
        return gpu.find(row.part) != std::string::npos;
    });
    if (found == table.end()) {
        return std::nullopt;
    }
    return GpuPeaks{gpu, found->fp32_tflops, found->memory_gb_per_s, found->memory_gb};
}

double roofline_ms(const ProblemCosts& costs, const GpuPeaks& peaks) {
    return std::max(compute_ms(costs, peaks), memory_ms(costs, peaks));
}

bool memory_bound(const ProblemCosts& costs, const GpuPeaks& peaks) {
    return memory_ms(costs, peaks) >= compute_ms(costs, peaks);
}

}  // namespace kbeval
