#include "store/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "batch/slurm.h"
#include "report/record_text.h"
#include "store/runs.h"
#include "verdict_samples.h"

namespace kbeval {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Verdict verdict(std::uint64_t number, Status status = Status::correct) {
    Verdict v = testing::full_verdict();
    v.id = testing::id_of(number);
    v.status = status;
    return v;
}

class MergeTest : public ::testing::Test {
  protected:
    Store open(const std::string& name) { return Store::open(path(name), Store::Mode::read_write); }
    fs::path path(const std::string& name) { return folder_.path() / name; }

    TemporaryDirectory folder_{fs::temp_directory_path(), "kbeval-merge-test"};
    Store main_ = open("main.db");
};

TEST_F(MergeTest, EveryPartOfAnEvaluationComesAlongOnce) {
    main_.record(verdict(1), "one", "log one");
    {
        Store shard = open("a.db");
        shard.record(verdict(2), "two", "log two");
        shard.record(verdict(3, Status::incorrect), "one", "");
    }
    const MergeResult first = merge_database(main_, path("a.db"));
    EXPECT_EQ(first.evaluations, 2);
    EXPECT_EQ(first.known, 0);
    EXPECT_THAT(first.conflicts, IsEmpty());
    const EvaluationRecord found = main_.find(testing::id_of(2));
    const EvaluationRecord original = open("a.db").find(testing::id_of(2));
    EXPECT_EQ(dump_json(to_json(found.verdict), 0), dump_json(to_json(original.verdict), 0));
    EXPECT_EQ(found.verdict.samples.size(), original.verdict.samples.size());
    EXPECT_EQ(found.source, "two");
    EXPECT_EQ(found.log, "log two");
    const MergeResult again = merge_database(main_, path("a.db"));
    EXPECT_EQ(again.evaluations, 0);
    EXPECT_EQ(again.known, 2);
    EXPECT_THAT(again.conflicts, IsEmpty());
    EXPECT_EQ(main_.list({}).size(), 3U);
    EXPECT_EQ(query_text(main_.database(), "PRAGMA integrity_check"), "ok");
    EXPECT_EQ(query_integer(main_.database(), "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

TEST_F(MergeTest, WhatDiffersIsReportedAndStays) {
    main_.record(verdict(1), "one", "");
    open("a.db").record(verdict(1, Status::incorrect), "one", "");
    const MergeResult result = merge_database(main_, path("a.db"));
    EXPECT_THAT(result.conflicts, ElementsAre(HasSubstr("evaluation " + testing::id_of(1) + " differs")));
    EXPECT_EQ(result.known, 0);
    EXPECT_EQ(main_.find(testing::id_of(1)).verdict.status, Status::correct);
}

TEST_F(MergeTest, ShardsOfOneRunFillItsJobs) {
    const std::string id(32, '7');
    const std::vector<std::string> jobs{std::string(64, '1'), std::string(64, '2'), std::string(64, '3')};
    const auto shard = [&](const std::string& name, std::uint64_t number, std::size_t job, Status status) {
        Store store = open(name);
        Runs runs(store);
        RunHeader header{id, "m.jsonl", std::string(64, '0'), "e", "g", "smoke"};
        std::optional<Runs::Key> run = runs.find_id(id);
        if (!run) {
            run = runs.begin(header, {{jobs[0], "L1_001", "", "", ""},
                                      {jobs[1], "L1_002", "", "", ""},
                                      {jobs[2], "L1_003", "", "", ""}});
        }
        EXPECT_TRUE(runs.complete(*run, jobs[job], verdict(number, status), "x", ""));
    };
    shard("a.db", 1, 0, Status::correct);
    shard("b.db", 2, 1, Status::infra_error);
    EXPECT_EQ(merge_database(main_, path("a.db")).runs, 1);
    EXPECT_EQ(merge_database(main_, path("b.db")).jobs, 1);
    Runs runs(main_);
    const Runs::Key run = runs.find_id(id).value();
    EXPECT_EQ(runs.judged(run).size(), 2U);
    shard("b.db", 3, 1, Status::incorrect);  // judged again after the infrastructure failure
    shard("b.db", 4, 2, Status::correct);
    EXPECT_EQ(merge_database(main_, path("b.db")).jobs, 2);
    EXPECT_EQ(merge_database(main_, path("b.db")).jobs, 0);
    ASSERT_EQ(runs.judged(run).size(), 3U);
    EXPECT_EQ(runs.judged(run)[1].verdict.id, testing::id_of(3));
    EXPECT_EQ(query_integer(main_.database(), "SELECT finished IS NOT NULL FROM runs"), 1);
    shard("c.db", 5, 0, Status::incorrect);
    EXPECT_THAT(merge_database(main_, path("c.db")).conflicts, ElementsAre(HasSubstr("has two verdicts")));
    EXPECT_EQ(runs.judged(run)[0].verdict.id, testing::id_of(1));
}

TEST_F(MergeTest, WhatIsNoDatabaseIsRefusedAndLeavesNothing) {
    EXPECT_THROW(merge_database(main_, path("absent.db")), Error);
    EXPECT_FALSE(fs::exists(path("absent.db")));
    EXPECT_THROW(merge_database(main_, path("main.db")), Error);
    write_file(path("text.db"), "no database at all, just text that is long enough");
    EXPECT_THROW(merge_database(main_, path("text.db")), Error);
    EXPECT_THAT(main_.list({}), IsEmpty());
}

TEST(SlurmTest, ShardsKeepProblemsTogetherAndAreEven) {
    std::vector<Job> jobs(10);
    const std::vector<std::string> problems{"a", "a", "a", "a", "b", "b", "b", "c", "c", "d"};
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        jobs[i].problem = problems[i];
    }
    EXPECT_THAT(shard_of_jobs(jobs, 2), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 1, 0));
    EXPECT_THAT(shard_of_jobs({}, 3), IsEmpty());
}

TEST(SlurmTest, TheScriptQuotesWhatItIsGiven) {
    const TemporaryDirectory folder(fs::temp_directory_path(), "kbeval-slurm-test");
    SlurmArray array{folder.path(), std::string(32, '1'), 4, {"kbeval", "batch", "--label=it's $HOME"}, {}};
    Job job;
    job.problem = "L1_088";
    job.candidate.text = "line\n\"quoted\"";
    write_array(array, {job});
    EXPECT_THAT(read_file(folder.path() / "job.sh", 10000),
                ::testing::AllOf(HasSubstr("'--label=it'\\''s $HOME'"),
                                 HasSubstr("\"$SLURM_ARRAY_TASK_ID\"/4"), HasSubstr("--resume")));
    EXPECT_THAT(read_file(array.manifest(), 10000), HasSubstr(R"("source":"line\n\"quoted\"")"));
    EXPECT_FALSE(submitted_array(folder.path()));
}

}  // namespace
}  // namespace kbeval
