#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "batch/cores.h"
#include "batch/engine.h"
#include "batch/job.h"
#include "batch/trace.h"
#include "device/device.h"
#include "judge/station.h"
#include "problem/problem.h"

namespace kbeval {

struct EvaluatorOptions {
    StationOptions station;
    Size size = Size::full;
    Settings settings;
    std::optional<std::uint64_t> seed;  ///< of every evaluation; unset: random for each
    std::string label;                  ///< of jobs that have none
    bool pin = true;
    Trace* trace = nullptr;  ///< told of every evaluation
};

/// Judges the jobs of a batch: a station for each device, the static check and the builds ahead of them.
class Evaluator final : public JobRunner {
  public:
    /// Jobs and catalogue must outlive it.
    Evaluator(EvaluatorOptions options, const std::vector<Job>& jobs, const Catalogue& catalogue,
              std::vector<std::unique_ptr<Device>> devices);
    ~Evaluator() override;

    std::optional<Judgement> prepare(std::size_t builder, std::size_t job) override;
    Judgement judge(std::size_t worker, std::size_t job) override;
    void leave_builder(std::size_t builder) override;
    void leave_worker(std::size_t worker) override;

  private:
    struct Facts {
        std::optional<StaticCheckResult> result;
        double seconds = 0;
    };

    [[nodiscard]] EvaluationRequest request_for(std::size_t job) const;

    EvaluatorOptions options_;
    const std::vector<Job>& jobs_;
    const Catalogue& catalogue_;
    std::vector<std::unique_ptr<Device>> devices_;
    CoreShares cores_;
    std::vector<Facts> facts_;                        ///< of each job, written before it is ready
    std::vector<std::unique_ptr<Station>> stations_;  ///< of each worker, made and ended in its thread
};

}  // namespace kbeval
