#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "judge/evaluation.h"

namespace kbeval {

/// What the engine drives. The real one is `Evaluator`; tests have others. Each worker and each builder is
/// one thread, from which all calls with its number come.
class JobRunner {
  public:
    JobRunner() = default;
    virtual ~JobRunner() = default;
    JobRunner(const JobRunner&) = delete;
    JobRunner& operator=(const JobRunner&) = delete;

    /// Work ahead of the device: static check, builds. Returns the judgement where that was the end of it.
    /// What it throws costs nothing: the worker does that work again.
    virtual std::optional<Judgement> prepare(std::size_t builder, std::size_t job) = 0;
    /// Judges on the worker's device. Throws nothing but the machine's failures.
    virtual Judgement judge(std::size_t worker, std::size_t job) = 0;
    /// The thread is about to end.
    virtual void leave_builder(std::size_t builder) = 0;
    virtual void leave_worker(std::size_t worker) = 0;
};

struct EngineOptions {
    std::size_t workers = 1;
    std::size_t builders = 1;
    std::size_t ahead = 8;   ///< jobs that may be prepared and wait for a worker
    double seconds = 0;      ///< no new job after that; 0: without end
    bool fail_fast = false;  ///< no new job after one for which `failed` holds
};

/// How a batch ended.
struct EngineResult {
    std::size_t judged = 0;
    std::size_t stolen = 0;  ///< jobs judged by another worker than the first of their group
    std::string stopped;     ///< why jobs are left; empty where none are
};

/// Infrastructure failures over so many different problems, one after the other, and a device counts as lost.
inline constexpr std::size_t lost_after_problems = 3;

/// Told of every judgement, one at a time. Returns whether it counts as a failure for `fail_fast`. What it
/// throws ends the batch and comes out of `run_batch`.
using Record = std::function<bool(std::size_t job, const Judgement& judgement)>;

/// Runs jobs 0 to problems.size() - 1; `problems[i]` is the problem of job i. A job that ended with
/// infra_error is given to another device once; a device on which nothing ends well is left alone; where none
/// is left the batch stops.
EngineResult run_batch(JobRunner& runner, const std::vector<std::string>& problems,
                       const EngineOptions& options, const Record& record);

}  // namespace kbeval
