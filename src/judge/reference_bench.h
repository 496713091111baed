#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "baseline/baseline.h"
#include "device/device.h"
#include "judge/bench.h"
#include "problem/problem.h"
#include "timing/plan.h"

namespace kbeval {

/// How a reference is timed: shorter than a candidate, since 250 are.
struct BaselineSettings {
    double compile_timeout = 180;      ///< seconds that torch.compile may take; 0 leaves it out
    double seconds = 3;                ///< of rounds, where they have not become tight before
    double target_half_width = 0.002;  ///< of the intervals, relative
    int min_rounds = 6;
    int max_pairs = 200;
    double block_ms = 20;
    double warm_ms = 4;
    double head_start_us = 300;
};

/// The processes of one reference (oracle, eager, compiled), from their start to its baseline. Several can be
/// prepared at once, so each step only posts what it can; nothing is timed before all are quiet. Every step
/// throws RunnerFailure where the reference can't be run; what goes wrong with torch.compile is a note.
class ReferenceBench {
  public:
    ReferenceBench(Host& host, Device& device, std::filesystem::path scratch, LoadedProblem problem,
                   Size size, std::uint64_t seed, const BaselineSettings& settings);

    /// Forks the processes.
    void start();
    /// Loads the problem and lets the others construct it.
    void begin();
    /// Makes weights, inputs and outputs, runs eager once, and lets the compiled one compile.
    void prepare();
    /// Takes what the compiled one has answered, or ends it after its deadline. False: it is done.
    bool still_compiling();
    /// Gives up on torch.compile.
    void stop_compiling(const std::string& reason);
    /// Times eager and compiled in turns, and the peak memory of both.
    void measure();

    [[nodiscard]] const Problem& problem() const { return problem_.problem; }
    /// What is known so far.
    [[nodiscard]] Baseline& baseline() { return baseline_; }

  private:
    [[nodiscard]] std::vector<std::string> subjects() const;
    [[nodiscard]] std::uint64_t stream(std::uint64_t number, std::uint64_t index) const;
    std::vector<double> block(const std::string& subject, int warm, const std::vector<int>& slots);
    void plan();
    void one_round(int number);
    void compare();
    [[nodiscard]] bool tight() const;
    [[nodiscard]] std::optional<double> peak_memory(const std::string& subject);

    Device& device_;
    Bench bench_;
    LoadedProblem problem_;
    Size size_;
    BaselineSettings settings_;
    Baseline baseline_;
    nlohmann::json init_args_;
    int answers_due_ = 0;  ///< of the compiled one
    SteadyClock::time_point compile_start_;
    BlockPlan plan_;
    std::vector<int> slots_;
};

}  // namespace kbeval
