#include "batch/engine.h"

#include <spdlog/spdlog.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "base/clock.h"
#include "base/text.h"
#include "batch/schedule.h"

namespace kbeval {

namespace {

class Engine {
  public:
    Engine(JobRunner& runner, const std::vector<std::string>& problems, const EngineOptions& options,
           const Record& record)
        : runner_(runner),
          problems_(problems),
          options_(options),
          record_(record),
          schedule_(problems, options.workers, options.ahead),
          given_back_(problems.size(), false),
          alive_(options.workers) {}

    EngineResult run() {
        {
            std::vector<std::jthread> threads;
            for (std::size_t i = 0; i < options_.builders; ++i) {
                threads.emplace_back([this, i] { guarded([&] { build(i); }); });
            }
            for (std::size_t i = 0; i < options_.workers; ++i) {
                threads.emplace_back([this, i] { guarded([&] { work(i); }); });
            }
            watch_the_clock();
        }
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        result_.stolen = schedule_.stolen();
        return result_;
    }

  private:
    template <typename Body>
    void guarded(Body&& body) {
        try {
            body();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) {
                failure_ = std::current_exception();
            }
            schedule_.stop();
        }
        const std::lock_guard lock(mutex_);
        ++ended_;
        wake_.notify_all();
    }

    void watch_the_clock() {
        const std::size_t threads = options_.builders + options_.workers;
        std::unique_lock lock(mutex_);
        const auto over = [&] { return ended_ == threads; };
        if (options_.seconds > 0 && !wake_.wait_for(lock, Seconds(options_.seconds), over)) {
            stop("the time budget of " + compact(options_.seconds) + " s is spent");
        }
        wake_.wait(lock, over);
    }

    void build(std::size_t builder) {
        while (const auto job = schedule_.next_to_prepare()) {
            std::optional<Judgement> end;
            try {
                end = runner_.prepare(builder, *job);
            } catch (const std::exception& error) {
                spdlog::warn("{}: not prepared ahead: {}", problems_[*job], error.what());
            }
            if (end && end->verdict.status != Status::infra_error) {
                settle(*job, *end);
                schedule_.settled(*job);
            } else {
                schedule_.prepared(*job);
            }
        }
        runner_.leave_builder(builder);
    }

    void work(std::size_t worker) {
        std::set<std::string> failed;  // problems, since the last evaluation that ended well
        while (const auto job = schedule_.take(worker)) {
            const Judgement judgement = runner_.judge(worker, *job);
            const bool sound = judgement.verdict.status != Status::infra_error;
            if (sound) {
                failed.clear();
            } else {
                failed.insert(problems_[*job]);
            }
            const bool lost = failed.size() >= lost_after_problems;
            if (!sound && passed_on(*job, lost)) {
                schedule_.give_back(*job, worker);
            } else {
                settle(*job, judgement);
                schedule_.judged(*job);
            }
            if (lost) {
                retire(worker, judgement.verdict);
                break;
            }
        }
        runner_.leave_worker(worker);
    }

    /// Whether another device is to try the job.
    bool passed_on(std::size_t job, bool lost) {
        const std::lock_guard lock(mutex_);
        if (given_back_[job] || alive_ < 2) {
            return false;
        }
        given_back_[job] = !lost;  // a lost device's word counts for nothing
        return true;
    }

    void retire(std::size_t worker, const Verdict& last) {
        const std::lock_guard lock(mutex_);
        spdlog::error(
            "worker {} ({}): evaluations of {} problems in a row failed on it; it is left alone now. The "
            "last: {}",
            worker, last.device, lost_after_problems, last.message.substr(0, 500));
        schedule_.worker_gone();
        if (--alive_ == 0) {
            stop("no device is left on which evaluations end well");
        }
    }

    void settle(std::size_t job, const Judgement& judgement) {
        const std::lock_guard lock(recording_);
        if (recording_failed_) {
            return;
        }
        recording_failed_ = true;  // unless the next line returns
        const bool bad = record_(job, judgement);
        recording_failed_ = false;
        const std::lock_guard inner(mutex_);
        ++result_.judged;
        if (bad && options_.fail_fast) {
            stop("--fail-fast");
        }
    }

    /// Under the mutex.
    void stop(const std::string& why) {
        if (result_.stopped.empty()) {
            result_.stopped = why;
        }
        schedule_.stop();
    }

    JobRunner& runner_;
    const std::vector<std::string>& problems_;
    const EngineOptions& options_;
    const Record& record_;
    Schedule schedule_;
    std::mutex recording_;  ///< held around `record_`, which may take long
    bool recording_failed_ = false;
    std::mutex mutex_;  ///< guards all that follows
    std::condition_variable wake_;
    std::vector<bool> given_back_;
    std::size_t alive_;
    std::size_t ended_ = 0;
    EngineResult result_;
    std::exception_ptr failure_;
};

}  // namespace

EngineResult run_batch(JobRunner& runner, const std::vector<std::string>& problems,
                       const EngineOptions& options, const Record& record) {
    EngineOptions checked = options;
    checked.workers = std::max<std::size_t>(checked.workers, 1);
    checked.builders = std::max<std::size_t>(checked.builders, 1);
    return Engine(runner, problems, checked, record).run();
}

}  // namespace kbeval
