#include "problem/roofline.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "baseline/baseline.h"

namespace kbeval {
namespace {

TEST(Roofline, IsTheLongerOfComputeAndMemory) {
    const GpuPeaks peaks{"any", 10, 1000, 80};
    ProblemCosts costs;
    costs.flops = 20'000'000'000;       // 2 ms at 10 TFLOP/s
    costs.least_bytes = 1'000'000'000;  // 1 ms at 1000 GB/s
    EXPECT_DOUBLE_EQ(roofline_ms(costs, peaks), 2);
    EXPECT_FALSE(memory_bound(costs, peaks));
    costs.least_bytes = 3'000'000'000;
    EXPECT_DOUBLE_EQ(roofline_ms(costs, peaks), 3);
    EXPECT_TRUE(memory_bound(costs, peaks));
}

TEST(Roofline, KnowsGpusByNvmlsNames) {
    EXPECT_EQ(peaks_of("NVIDIA H200")->memory_gb_per_s, 4800);
    EXPECT_EQ(peaks_of("NVIDIA H100 PCIe")->memory_gb_per_s, 2000);
    EXPECT_EQ(peaks_of("NVIDIA H100 80GB HBM3")->memory_gb_per_s, 3350);
    EXPECT_FALSE(peaks_of("cpu"));
}

TEST(ProblemCosts, RefusesNegativeAndMissingFigures) {
    auto json = nlohmann::json::parse(
        R"({"input_bytes":1,"parameter_bytes":2,"output_bytes":3,"flops":4,"least_bytes":5,"operators":6})");
    EXPECT_EQ(costs_from(json)->flops, 4);
    EXPECT_EQ(nlohmann::json::parse(to_json(*costs_from(json)).dump()), json);
    EXPECT_FALSE(costs_from(nullptr));
    json["flops"] = -1;
    EXPECT_THROW(costs_from(json), std::invalid_argument);
    json.erase("flops");
    EXPECT_THROW(costs_from(json), nlohmann::json::exception);
}

TEST(Baseline, SummarizesRounds) {
    Baseline baseline;
    for (int i = 0; i < 8; ++i) {
        baseline.rounds.push_back({{4.0, 4.1, 3.9}, {2.0, 2.05, 1.95}});
    }
    summarize(baseline);
    EXPECT_EQ(baseline.trials, 24);
    EXPECT_DOUBLE_EQ(baseline.eager_ms->estimate, 4);
    EXPECT_DOUBLE_EQ(baseline.compile_ms->estimate, 2);
    EXPECT_DOUBLE_EQ(baseline.speedup->estimate, 2);
    EXPECT_FALSE(baseline.roofline_share());
    baseline.roofline_ms = 1;
    EXPECT_DOUBLE_EQ(*baseline.roofline_share(), 0.25);
    baseline.rounds.push_back({});
    EXPECT_THROW(summarize(baseline), std::invalid_argument);
}

TEST(Baseline, HasNoCompiledTimeWhereARoundLacksIt) {
    Baseline baseline;
    for (int i = 0; i < 6; ++i) {
        baseline.rounds.push_back({{1.0}, {}});
    }
    summarize(baseline);
    EXPECT_TRUE(baseline.eager_ms);
    EXPECT_FALSE(baseline.compile_ms);
    EXPECT_FALSE(baseline.speedup);
}

}  // namespace
}  // namespace kbeval
