#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "batch/cores.h"
#include "batch/engine.h"
#include "batch/schedule.h"
#include "batch/sources.h"
#include "batch/summary.h"
#include "batch/trace.h"
#include "store/runs.h"
#include "verdict_samples.h"

namespace kbeval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

Judgement ended(Status status) {
    Judgement judgement;
    judgement.verdict.status = status;
    return judgement;
}

/// Judges with a function; remembers who judged what.
class FakeRunner : public JobRunner {
  public:
    std::function<std::optional<Judgement>(std::size_t)> on_prepare = [](std::size_t) {
        return std::nullopt;
    };
    std::function<Judgement(std::size_t worker, std::size_t job)> on_judge = [](std::size_t, std::size_t) {
        return ended(Status::correct);
    };
    std::vector<std::pair<std::size_t, std::size_t>> judged;  // worker, job
    std::set<std::size_t> left_workers;

    std::optional<Judgement> prepare(std::size_t, std::size_t job) override { return on_prepare(job); }
    Judgement judge(std::size_t worker, std::size_t job) override {
        {
            const std::lock_guard lock(mutex_);
            judged.emplace_back(worker, job);
        }
        return on_judge(worker, job);
    }
    void leave_builder(std::size_t) override {}
    void leave_worker(std::size_t worker) override {
        const std::lock_guard lock(mutex_);
        left_workers.insert(worker);
    }

  private:
    std::mutex mutex_;
};

struct Outcome {
    EngineResult result;
    std::map<std::size_t, std::vector<Status>> verdicts;
};

Outcome run(FakeRunner& runner, const std::vector<std::string>& problems, EngineOptions options) {
    Outcome outcome;
    outcome.result = run_batch(runner, problems, options, [&](std::size_t job, const Judgement& judgement) {
        outcome.verdicts[job].push_back(judgement.verdict.status);
        return judgement.verdict.status != Status::correct;
    });
    return outcome;
}

TEST(ScheduleTest, AWorkerStaysWithItsProblem) {
    Schedule schedule({"a", "b", "a", "b", "b", "a", "b"}, 1, 100);
    while (const auto job = schedule.next_to_prepare()) {
        schedule.prepared(*job);
    }
    std::vector<std::size_t> order;
    while (const auto job = schedule.take(0)) {
        order.push_back(*job);
        schedule.judged(*job);
    }
    EXPECT_THAT(order, ElementsAre(1, 3, 4, 6, 0, 2, 5));  // the larger group first
}

TEST(ScheduleTest, NoMoreThanTheBoundIsPreparedAhead) {
    Schedule schedule(std::vector<std::string>(50, "a"), 1, 3);
    for (int i = 0; i < 3; ++i) {
        schedule.prepared(*schedule.next_to_prepare());
    }
    std::atomic<bool> got = false;
    std::jthread builder([&] { got = schedule.next_to_prepare().has_value(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(got);
    schedule.judged(*schedule.take(0));
    builder.join();
    EXPECT_TRUE(got);
}

TEST(EngineTest, EveryJobIsJudgedOnceByManyWorkers) {
    FakeRunner runner;
    std::vector<std::string> problems;
    for (int i = 0; i < 500; ++i) {
        problems.push_back("p" + std::to_string(i % 7));
    }
    const Outcome outcome = run(runner, problems, {4, 3, 8});
    EXPECT_EQ(outcome.verdicts.size(), 500U);
    for (const auto& [job, verdicts] : outcome.verdicts) {
        EXPECT_EQ(verdicts.size(), 1U) << job;
    }
    EXPECT_EQ(runner.left_workers.size(), 4U);
    EXPECT_EQ(outcome.result.stopped, "");
}

TEST(EngineTest, IdleWorkersHelpWithOnesProblem) {
    FakeRunner runner;
    runner.on_judge = [](std::size_t, std::size_t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        return ended(Status::correct);
    };
    const Outcome outcome = run(runner, std::vector<std::string>(60, "only"), {3, 2, 8});
    std::map<std::size_t, int> shares;
    for (const auto& [worker, job] : runner.judged) {
        ++shares[worker];
    }
    EXPECT_EQ(shares.size(), 3U);
    EXPECT_GT(outcome.result.stolen, 20U);
}

TEST(EngineTest, WhatPreparationEndsTakesNoDevice) {
    FakeRunner runner;
    runner.on_prepare = [](std::size_t job) {
        return job % 2 == 0 ? std::optional(ended(Status::forbidden)) : std::nullopt;
    };
    const Outcome outcome = run(runner, std::vector<std::string>(10, "a"), {1, 1, 4});
    EXPECT_EQ(outcome.verdicts.size(), 10U);
    EXPECT_EQ(runner.judged.size(), 5U);
}

TEST(EngineTest, APreparationThatThrowsCostsNothing) {
    FakeRunner runner;
    runner.on_prepare = [](std::size_t) -> std::optional<Judgement> {
        throw std::runtime_error("no python");
    };
    EXPECT_EQ(run(runner, {"a", "a", "b"}, {1, 1, 4}).verdicts.size(), 3U);
}

TEST(EngineTest, AGpuThatFellOffTheBusIsLeftAloneAndItsJobsGoToOthers) {
    FakeRunner runner;
    std::vector<std::string> problems;
    for (int i = 0; i < 60; ++i) {
        problems.push_back("p" + std::to_string(i / 2));
    }
    runner.on_judge = [](std::size_t worker, std::size_t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return ended(worker == 1 ? Status::infra_error : Status::correct);
    };
    const Outcome outcome = run(runner, problems, {2, 1, 8});
    EXPECT_EQ(outcome.verdicts.size(), 60U);
    for (const auto& [job, verdicts] : outcome.verdicts) {
        EXPECT_THAT(verdicts, ElementsAre(Status::correct)) << job;
    }
    const auto on_lost = std::count_if(runner.judged.begin(), runner.judged.end(),
                                       [](const auto& one) { return one.first == 1; });
    EXPECT_LE(on_lost, 6);
}

TEST(EngineTest, TheBatchStopsWhereNoDeviceIsLeft) {
    FakeRunner runner;
    runner.on_judge = [](std::size_t, std::size_t) { return ended(Status::infra_error); };
    std::vector<std::string> problems;
    for (int i = 0; i < 100; ++i) {
        problems.push_back("p" + std::to_string(i));
    }
    const Outcome outcome = run(runner, problems, {1, 1, 8});
    EXPECT_THAT(outcome.result.stopped, HasSubstr("no device is left"));
    EXPECT_EQ(outcome.verdicts.size(), lost_after_problems);
}

TEST(EngineTest, OneProblemThatCannotBeJudgedDoesNotCostTheDevice) {
    FakeRunner runner;
    runner.on_judge = [](std::size_t, std::size_t job) {
        return ended(job < 10 ? Status::infra_error : Status::correct);
    };
    std::vector<std::string> problems(10, "broken");
    problems.insert(problems.end(), 10, "sound");
    const Outcome outcome = run(runner, problems, {1, 1, 8});
    EXPECT_EQ(outcome.verdicts.size(), 20U);
    EXPECT_EQ(outcome.result.stopped, "");
}

TEST(EngineTest, FailFastAndTimeBudgetLeaveTheRest) {
    FakeRunner runner;
    runner.on_judge = [](std::size_t, std::size_t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return ended(Status::incorrect);
    };
    EngineOptions options{1, 1, 8};
    options.fail_fast = true;
    EXPECT_EQ(run(runner, std::vector<std::string>(50, "a"), options).verdicts.size(), 1U);
    options.fail_fast = false;
    options.seconds = 0.2;
    const Outcome outcome = run(runner, std::vector<std::string>(50, "a"), options);
    EXPECT_LT(outcome.verdicts.size(), 50U);
    EXPECT_THAT(outcome.result.stopped, HasSubstr("time budget"));
}

TEST(EngineTest, ARecordThatFailsEndsTheBatch) {
    FakeRunner runner;
    int recorded = 0;
    EXPECT_THROW(run_batch(runner, std::vector<std::string>(50, "a"), {2, 1, 8},
                           [&](std::size_t, const Judgement&) -> bool {
                               if (++recorded == 5) {
                                   throw infrastructure_error("disk full");
                               }
                               return false;
                           }),
                 Error);
    EXPECT_EQ(recorded, 5);
}

TEST(CoresTest, BuildsKeepOffTheCoresOfWhatIsTimed) {
    std::vector<int> cores(16);
    std::iota(cores.begin(), cores.end(), 0);
    const CoreShares shares = share_cores(cores, 2);
    EXPECT_THAT(shares.workers[0], ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(shares.workers[1], ElementsAre(6, 7, 8, 9, 10, 11));
    EXPECT_THAT(shares.builders, ElementsAre(12, 13, 14, 15));
    EXPECT_TRUE(share_cores({0, 1}, 1).builders.empty());
}

TEST(TraceTest, OwnTimeIsWhatNoRunnerWorksIn) {
    const auto t = SteadyClock::now();
    const auto at = [&](int s) { return t + std::chrono::seconds(s); };
    const std::vector<Span> spans{{"a", "x", at(1), at(3)},
                                  {"b", "y", at(2), at(5)},
                                  {"a", "z", at(-4), at(-1)},
                                  {"a", "w", at(8), at(20)}};
    EXPECT_DOUBLE_EQ(own_seconds(spans, at(0), at(10)), 4);
    EXPECT_DOUBLE_EQ(own_seconds({}, at(0), at(10)), 10);
}

class BatchFilesTest : public ::testing::Test {
  protected:
    void write(const std::string& name, const std::string& text) {
        fs::create_directories((folder_.path() / name).parent_path());
        write_file(folder_.path() / name, text);
    }
    std::vector<Job> read(const std::string& name = "", const std::string& where = "") {
        return read_jobs((folder_.path() / name).string(), where, catalogue_);
    }
    std::string refusal(const std::string& name = "", const std::string& where = "") {
        try {
            read(name, where);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }
    fs::path database() { return folder_.path() / "k.db"; }

    TemporaryDirectory folder_{fs::temp_directory_path(), "kbeval-batch-test"};
    Catalogue catalogue_{fs::path(KBEVAL_SOURCE_DIR) / "problems"};
};

TEST_F(BatchFilesTest, AFolderNamesItsProblems) {
    write("c/L2_076_x.py", "1");
    write("c/L1_088/a/b.py", "2");
    write("c/notes.txt", "no candidate");
    const auto jobs = read("c");
    ASSERT_EQ(jobs.size(), 2U);
    EXPECT_EQ(jobs[0].problem, "L1_088");
    EXPECT_EQ(jobs[0].label, "L1_088/a/b");
    EXPECT_EQ(jobs[1].problem, "L2_076");
    write("c/other.py", "3");
    EXPECT_THAT(refusal("c"), HasSubstr("other.py: says no problem"));
    fs::create_directories(folder_.path() / "empty");
    EXPECT_THAT(refusal("empty"), HasSubstr("holds no .py file"));
}

TEST_F(BatchFilesTest, AManifestHoldsPathsOrSources) {
    write("x.py", "from a file");
    write("m.jsonl",
          "{\"problem\":\"l2_76\",\"path\":\"x.py\",\"arm\":\"ace\",\"reader\":\"r1\"}\n\n"
          "{\"problem\":\"L1_088\",\"source\":\"inline\"}\n"
          "{\"problem\":\"L1_088\",\"source\":\"inline\"}\n"
          "{\"problem\":\"L1_088\",\"source\":\"no block\",\"reply\":true}\n");
    const auto jobs = read("m.jsonl");
    ASSERT_EQ(jobs.size(), 4U);
    EXPECT_EQ(jobs[0].problem, "L2_076");
    EXPECT_EQ(jobs[0].candidate.text, "from a file");
    EXPECT_EQ(jobs[0].arm, "ace");
    EXPECT_EQ(jobs[1].candidate.text, "inline");
    EXPECT_NE(jobs[1].key, jobs[2].key);  // alike, and still two jobs
    EXPECT_FALSE(jobs[3].has_code);
    EXPECT_EQ(read("m.jsonl")[2].key, jobs[2].key);
}

TEST_F(BatchFilesTest, ABadManifestNamesLineAndRule) {
    const std::map<std::string, std::string> cases{
        {"[]", "needs a JSON object"},
        {"{\"problem\":\"L1_088\"}", "needs either 'path' or 'source'"},
        {"{\"problem\":\"L1_088\",\"source\":\"a\",\"path\":\"b\"}", "needs either 'path' or 'source'"},
        {"{\"problem\":\"L1_088\",\"source\":7}", "must be string"},
        {"{\"problem\":\"L1_088\",\"source\":\"a\",\"lable\":\"b\"}", "knows no field 'lable'"},
        {"{\"problem\":\"L9_001\",\"source\":\"a\"}", "unknown problem"},
        {"{\"problem\":\"L1_088\",\"path\":\"absent.py\"}", "absent.py: no such file"},
    };
    for (const auto& [line, rule] : cases) {
        write("m.jsonl", "\n" + line + "\n");
        EXPECT_THAT(refusal("m.jsonl"), ::testing::AllOf(HasSubstr("m.jsonl:2: "), HasSubstr(rule))) << line;
    }
}

TEST_F(BatchFilesTest, ADatabaseGivesItsSuccessesAgain) {
    {
        Store store = Store::open(database(), Store::Mode::read_write);
        Verdict good = kbeval::testing::full_verdict();
        good.problem = "L1_088";
        good.id = std::string(32, 'a');
        good.success = true;
        store.record(good, "good", "");
        good.id = std::string(32, 'b');
        store.record(good, "good", "");
        good.id = std::string(32, 'c');
        good.success = false;
        store.record(good, "bad", "");
    }
    ASSERT_EQ(read("k.db").size(), 1U);
    EXPECT_EQ(read("k.db")[0].candidate.text, "good");
    EXPECT_EQ(read("k.db", "NOT success")[0].candidate.text, "bad");
    EXPECT_THAT(refusal("k.db", "nonsense ="), HasSubstr("--where nonsense ="));
    write("m.jsonl", "");
    EXPECT_THAT(refusal("m.jsonl", "success"), HasSubstr("is no kbeval database"));
}

TEST_F(BatchFilesTest, AJobIsDoneWithItsVerdictOrNotAtAll) {
    Store store = Store::open(database(), Store::Mode::read_write);
    Runs runs(store);
    RunHeader header{"", "m.jsonl", std::string(64, '0'), "e", "cpu", "smoke"};
    EXPECT_FALSE(runs.find(header));
    const std::string first(64, '1');
    const std::string second(64, '2');
    const Runs::Key run =
        runs.begin(header, {{first, "L1_088", "", "ace", "r"}, {second, "L1_088", "", "", ""}});
    EXPECT_EQ(runs.find(header), run);
    Verdict verdict = kbeval::testing::full_verdict();
    verdict.id = std::string(32, 'a');
    verdict.status = Status::infra_error;
    EXPECT_TRUE(runs.complete(run, first, verdict, "x", ""));
    verdict.id = std::string(32, 'b');
    verdict.status = Status::correct;
    EXPECT_TRUE(runs.complete(run, first, verdict, "x", ""));  // an infra_error is no verdict
    verdict.id = std::string(32, 'c');
    EXPECT_FALSE(runs.complete(run, first, verdict, "x", ""));
    EXPECT_FALSE(runs.complete(run, std::string(64, '3'), verdict, "x", ""));
    EXPECT_EQ(store.list({}).size(), 2U);  // what was refused left nothing
    const auto judged = runs.judged(run);
    ASSERT_EQ(judged.size(), 1U);
    EXPECT_EQ(judged[0].verdict.id, std::string(32, 'b'));
    EXPECT_EQ(judged[0].arm, "ace");
    runs.finish(run);
    EXPECT_EQ(query_integer(store.database(), "SELECT finished IS NULL FROM runs"), 1);
    EXPECT_TRUE(runs.complete(run, second, verdict, "x", ""));
    runs.finish(run);
    EXPECT_EQ(query_integer(store.database(), "SELECT finished IS NULL FROM runs"), 0);
    EXPECT_THAT(summary_table(runs.judged(run)), HasSubstr("ace/r"));
}

TEST(PaceTest, SaysRateAndTimeLeft) {
    Pace pace(100);
    EXPECT_EQ(pace.text(20), "20/120");
    for (int i = 1; i <= 10; ++i) {
        pace.done(2.0 * i);
    }
    EXPECT_EQ(pace.text(20), "30/120  0.50/s, 3 m 00 s left");
    EXPECT_EQ(duration_text(7500), "2 h 05 m");
}

}  // namespace
}  // namespace kbeval
