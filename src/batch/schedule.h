#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kbeval {

/// Who does what next in a batch. Builders prepare jobs (static check, builds) ahead of the workers, of which
/// there is one for each GPU. Safe to share between threads.
///
/// Jobs of one problem form a group. A worker stays with its group, so that the group's reference stays warm;
/// then it takes a group that nobody has, the largest first; where none is left it helps with the group that
/// has most left (work stealing). At most `ahead` jobs are prepared and not yet taken.
class Schedule {
  public:
    /// `problems[i]` is the problem of job i.
    Schedule(const std::vector<std::string>& problems, std::size_t workers, std::size_t ahead);

    /// Next job to prepare; waits while enough are ahead. Nothing: no more are to be prepared.
    std::optional<std::size_t> next_to_prepare();
    /// It is ready for a worker.
    void prepared(std::size_t job);
    /// It needs no worker: its preparation was the end of it.
    void settled(std::size_t job);

    /// Next job for a worker; waits until one is ready. Nothing: the batch is over.
    std::optional<std::size_t> take(std::size_t worker);
    /// The worker has judged it.
    void judged(std::size_t job) { settled(job); }
    /// The worker could not: another is to take it.
    void give_back(std::size_t job, std::size_t worker);
    /// A worker is gone: what was kept from one for another is anyone's now.
    void worker_gone();

    /// No new jobs: what is under way is finished, `take` and `next_to_prepare` return nothing.
    void stop();

    /// Jobs that went to a worker other than the first of their group, so far.
    [[nodiscard]] std::size_t stolen() const;

  private:
    enum class State { waiting, preparing, ready, taken, settled };
    struct Group {
        std::vector<std::size_t> jobs;
        std::vector<std::size_t> workers;  ///< those whose group it is; the first came first
    };
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    [[nodiscard]] std::optional<std::size_t> first(const Group& group, State state) const;
    /// First job of the group that is ready for this worker.
    [[nodiscard]] std::optional<std::size_t> ready(const Group& group, std::size_t worker) const;
    [[nodiscard]] std::size_t left(const Group& group) const;
    [[nodiscard]] bool over() const;
    std::size_t choose_group(std::size_t worker);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<State> states_;
    std::vector<std::size_t> not_for_;   ///< the worker that gave the job back
    std::vector<Group> groups_;          ///< the largest first
    std::vector<std::size_t> group_of_;  ///< of a job
    std::vector<std::size_t> current_;   ///< group of a worker
    std::size_t ahead_;
    std::size_t stolen_ = 0;
    bool stopped_ = false;
};

}  // namespace kbeval
