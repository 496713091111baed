#include "judge/baseline_run.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "judge/evaluation.h"

namespace kbeval {

namespace {

constexpr double context_bytes = 1.5e9;  ///< CUDA contexts of three processes
constexpr std::size_t max_failure_bytes = 500;

bool out_of_memory(const RunnerFailure& failure) {
    const std::string text = failure.what();
    return failure.error().kind == "out_of_memory" || text.find("out of memory") != std::string::npos;
}

/// Runs batches: all references of one are prepared and compiled together, then each is timed alone.
class BaselineRun {
  public:
    BaselineRun(const BaselineRequest& request, const BaselineSurroundings& surroundings,
                const std::function<void(Baseline&)>& done)
        : request_(request), around_(surroundings), done_(done), start_(SteadyClock::now()) {
        std::vector<Problem> order = request.problems;
        // Those that compile about equally long together: a batch waits for its slowest.
        std::stable_sort(order.begin(), order.end(), [](const Problem& a, const Problem& b) {
            return (a.costs ? a.costs->operators : 0) < (b.costs ? b.costs->operators : 0);
        });
        waiting_.assign(order.begin(), order.end());
    }

    std::size_t run() {
        while (!waiting_.empty() && time_for_another()) {
            one_batch(next_batch(request_.jobs));
        }
        while (!alone_.empty() && time_for_another()) {
            std::vector<Problem> one{alone_.front()};
            alone_.pop_front();
            one_batch(std::move(one));
        }
        around_.progress.finish();
        return waiting_.size() + alone_.size() + left_;
    }

  private:
    struct Candidate {
        std::unique_ptr<ReferenceBench> bench;
        bool failed = false;
    };

    [[nodiscard]] double elapsed() const { return seconds_since(start_); }

    /// Whether a problem would probably be through in time, judged by those so far.
    [[nodiscard]] bool time_for_another() const {
        return request_.seconds <= 0 || elapsed() + slowest_problem_ < request_.seconds;
    }

    std::vector<Problem> next_batch(int jobs) {
        std::vector<Problem> batch;
        double bytes = 0;
        while (!waiting_.empty() && static_cast<int>(batch.size()) < jobs) {
            const double one = request_.size == Size::full ? estimated_bytes(waiting_.front()) : 0;
            if (!batch.empty() && bytes + one > request_.memory_bytes) {
                break;
            }
            bytes += one;
            batch.push_back(waiting_.front());
            waiting_.pop_front();
        }
        return batch;
    }

    void one_batch(std::vector<Problem> problems) {
        const bool alone = problems.size() == 1;
        const TemporaryDirectory scratch(around_.scratch, "baseline");
        std::vector<Candidate> batch;
        const auto began = SteadyClock::now();
        around_.progress.stage("prepare " + problems.front().id +
                               (alone ? "" : " and " + std::to_string(problems.size() - 1) + " more"));
        try {
            Host& host = around_.host();
            for (const Problem& problem : problems) {
                batch.push_back(
                    {std::make_unique<ReferenceBench>(host, around_.device, scratch.path() / problem.id,
                                                      Catalogue::load(problem, request_.size), request_.size,
                                                      request_.seed, request_.settings)});
            }
            for (const auto step :
                 {&ReferenceBench::start, &ReferenceBench::begin, &ReferenceBench::prepare}) {
                for (Candidate& candidate : batch) {
                    attempt(candidate, alone, [&] { ((*candidate.bench).*step)(); });
                }
            }
            await_compiled(host, batch);
            around_.progress.done();
            time_all(batch, alone);
        } catch (const Error& error) {  // the host's end: what was not measured may be measured by another
            spdlog::warn("baseline: {}", error.what());
            for (Candidate& candidate : batch) {
                if (!candidate.failed) {
                    record_failure(candidate, error.what());
                }
            }
            batch.clear();
            around_.drop_host();
        }
        around_.progress.done();
        slowest_problem_ =
            std::max(slowest_problem_, seconds_since(began) / static_cast<double>(problems.size()));
    }

    /// A step of one candidate; its failure ends this candidate only.
    template <typename Step>
    void attempt(Candidate& candidate, bool alone, Step&& step) {
        if (candidate.failed) {
            return;
        }
        try {
            step();
        } catch (const RunnerFailure& failure) {
            if (out_of_memory(failure) && !alone) {
                candidate.failed = true;
                alone_.push_back(candidate.bench->problem());
                candidate.bench.reset();
            } else {
                record_failure(candidate, failure.what());
            }
        }
    }

    void record_failure(Candidate& candidate, const std::string& why) {
        Baseline& baseline = candidate.bench->baseline();
        baseline.failure = to_valid_utf8(why).substr(0, max_failure_bytes);
        baseline.rounds.clear();
        baseline.eager_ms.reset();
        deliver(baseline);
        candidate.failed = true;
        candidate.bench.reset();
    }

    void await_compiled(Host& host, std::vector<Candidate>& batch) {
        while (true) {
            std::size_t compiling = 0;
            for (Candidate& candidate : batch) {
                compiling += !candidate.failed && candidate.bench->still_compiling() ? 1U : 0U;
            }
            if (compiling == 0) {
                return;
            }
            around_.progress.update(std::to_string(compiling) + " compiling");
            if (request_.seconds > 0 && elapsed() > request_.seconds) {
                drop_compiling(batch);
                return;
            }
            host.pump(0.1);
        }
    }

    /// Out of time: what still compiles is left for another run.
    void drop_compiling(std::vector<Candidate>& batch) {
        for (Candidate& candidate : batch) {
            if (!candidate.failed && candidate.bench->still_compiling()) {
                candidate.failed = true;
                candidate.bench.reset();
                ++left_;
            }
        }
    }

    void time_all(std::vector<Candidate>& batch, bool alone) {
        for (Candidate& candidate : batch) {
            if (candidate.failed) {
                continue;
            }
            // What is compiled already is worth a few seconds over the limit.
            if (request_.seconds > 0 && elapsed() > request_.seconds + grace_seconds) {
                ++left_;
                candidate.bench.reset();
                continue;
            }
            around_.progress.stage("time " + candidate.bench->problem().id);
            attempt(candidate, alone, [&] {
                candidate.bench->measure();
                deliver(candidate.bench->baseline());
            });
            candidate.bench.reset();  // its memory is the next one's
            around_.progress.done();
        }
    }

    void deliver(Baseline& baseline) {
        const auto found = std::find_if(request_.problems.begin(), request_.problems.end(),
                                        [&](const Problem& p) { return p.id == baseline.problem; });
        if (request_.peaks && request_.size == Size::full && found->costs) {
            baseline.roofline_ms = roofline_ms(*found->costs, *request_.peaks);
        }
        done_(baseline);
    }

    static constexpr double grace_seconds = 20;

    const BaselineRequest& request_;
    const BaselineSurroundings& around_;
    const std::function<void(Baseline&)>& done_;
    SteadyClock::time_point start_;
    std::deque<Problem> waiting_;
    std::deque<Problem> alone_;  ///< ran out of memory beside others
    std::size_t left_ = 0;
    double slowest_problem_ = 0;
};

}  // namespace

double estimated_bytes(const Problem& problem) {
    if (!problem.costs) {
        return 1e12;  // alone
    }
    const auto input = static_cast<double>(problem.costs->input_bytes);
    const auto output = static_cast<double>(problem.costs->output_bytes);
    return context_bytes + input + 3 * static_cast<double>(problem.costs->parameter_bytes) + 2 * output +
           2 * std::max(input, output);
}

std::size_t run_baselines(const BaselineRequest& request, const BaselineSurroundings& surroundings,
                          const std::function<void(Baseline&)>& done) {
    return BaselineRun(request, surroundings, done).run();
}

}  // namespace kbeval
