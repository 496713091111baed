#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "calibration/summary.h"
#include "store/migrations.h"
#include "verdict_samples.h"

namespace kbeval {
namespace {

using ::testing::ElementsAre;
using testing::full_verdict;
using ::testing::HasSubstr;
using testing::id_of;
using ::testing::IsEmpty;
using ::testing::Not;

class StoreTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "kbeval.db"; }
    [[nodiscard]] Store open() const { return Store::open(path(), Store::Mode::read_write); }
    [[nodiscard]] Store reopen() const { return Store::open(path(), Store::Mode::read_only); }

    /// Records an evaluation that differs from the full one in these.
    static Verdict put(Store& store, const std::string& id, const std::string& created) {
        Verdict v = full_verdict();
        v.id = id;
        v.created = created;
        store.record(v, "source of " + id, "");
        return v;
    }

  private:
    TemporaryDirectory folder_{std::filesystem::temp_directory_path(), "store-test"};
};

/// Equal, where NaN equals NaN and the two zeros are one (SQLite keeps a single zero).
bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}
bool same(const std::optional<double>& a, const std::optional<double>& b) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

void expect_same(const std::optional<Agreement>& a, const std::optional<Agreement>& b) {
    ASSERT_EQ(a.has_value(), b.has_value());
    if (!a) {
        return;
    }
    EXPECT_TRUE(same(a->max_abs_diff, b->max_abs_diff) && same(a->max_rel_diff, b->max_rel_diff));
    EXPECT_TRUE(same(a->worst_expected, b->worst_expected) && same(a->worst_actual, b->worst_actual));
    EXPECT_TRUE(same(a->share_beyond, b->share_beyond));
    EXPECT_EQ(a->seeds_checked, b->seeds_checked);
    EXPECT_EQ(a->output, b->output);
    EXPECT_EQ(a->worst_index, b->worst_index);
}

void expect_same_times(const Verdict& a, const Verdict& b) {
    ASSERT_EQ(a.stages.size(), b.stages.size());
    for (std::size_t i = 0; i < a.stages.size(); ++i) {
        EXPECT_EQ(a.stages[i].name, b.stages[i].name);
        EXPECT_TRUE(same(a.stages[i].seconds, b.stages[i].seconds));
    }
    ASSERT_EQ(a.samples.size(), b.samples.size());
    for (std::size_t i = 0; i < a.samples.size(); ++i) {
        EXPECT_EQ(a.samples[i].round, b.samples[i].round);
        EXPECT_TRUE(same(a.samples[i].ref_ms, b.samples[i].ref_ms));
        EXPECT_TRUE(same(a.samples[i].cand_ms, b.samples[i].cand_ms));
        EXPECT_TRUE(same(a.samples[i].compile_ms, b.samples[i].compile_ms));
    }
}

/// Field for field; written out, so that a field that the store forgot is missed here.
void expect_same(const Verdict& a, const Verdict& b) {
    const auto texts = [](const Verdict& v) {
        return std::vector<std::string>{
            v.id,    v.created, v.kind,         v.problem,   v.problem_digest, v.candidate_digest,
            v.label, v.message, v.compile_note, v.evaluator, v.device,         v.gpu,
            v.size};
    };
    EXPECT_EQ(texts(a), texts(b));
    EXPECT_EQ(a.status, b.status);
    EXPECT_TRUE(same(a.ref_ms, b.ref_ms) && same(a.compile_ms, b.compile_ms) && same(a.cand_ms, b.cand_ms));
    EXPECT_TRUE(same(a.speedup, b.speedup) && same(a.speedup_mean, b.speedup_mean));
    EXPECT_TRUE(same(a.speedup_lo95, b.speedup_lo95) && same(a.speedup_hi95, b.speedup_hi95));
    EXPECT_TRUE(same(a.speedup_vs_compile, b.speedup_vs_compile));
    EXPECT_TRUE(same(a.own_kernel_time_frac, b.own_kernel_time_frac));
    EXPECT_EQ(a.trials, b.trials);
    EXPECT_EQ(a.fast1_raw, b.fast1_raw);
    EXPECT_EQ(a.fast1, b.fast1);
    EXPECT_EQ(a.success, b.success);
    EXPECT_TRUE(same(a.score, b.score) && same(a.atol, b.atol) && same(a.rtol, b.rtol));
    EXPECT_EQ(a.seed, b.seed);
    EXPECT_EQ(a.seeds, b.seeds);
    EXPECT_EQ(a.flags, b.flags);
    EXPECT_EQ(a.notes, b.notes);
    EXPECT_EQ(a.versions, b.versions);
    EXPECT_EQ(a.conditions, b.conditions);
    expect_same(a.agreement, b.agreement);
    expect_same_times(a, b);
}

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
    }
    return "no error";
}

TEST_F(StoreTest, ReadsBackWhatItRecorded) {
    Verdict v = full_verdict();
    v.flags = {"clock_disagreement", "inputs_modified"};
    v.message = "two\nlines";
    v.compile_note = "a note";
    open().record(v, "class ModelNew: pass\n", "compiled\n");
    const EvaluationRecord record = reopen().find(v.id);
    expect_same(record.verdict, v);
    EXPECT_EQ(record.source, "class ModelNew: pass\n");
    EXPECT_EQ(record.log, "compiled\n");
}

TEST_F(StoreTest, ReadsBackRandomVerdicts) {
    testing::RandomVerdicts draw(20260131);
    Store store = open();
    for (std::uint64_t i = 0; i < 300; ++i) {
        const Verdict v = draw.next(i);
        store.record(v, v.label, v.message);
        expect_same(store.find(v.id).verdict, v);
        ASSERT_FALSE(HasFailure()) << "verdict " << i;
    }
}

TEST_F(StoreTest, KeepsSourcesOnceAndWhole) {
    Store store = open();
    const std::string source = std::string(1 << 20, 'x') + std::string("\0\xff\n", 3);
    for (std::uint64_t i = 0; i < 3; ++i) {
        Verdict v = full_verdict();
        v.id = id_of(i);
        store.record(v, source, "");
    }
    EXPECT_EQ(reopen().find(id_of(2)).source, source);
    Database database(path(), Database::Access::read_only);
    EXPECT_EQ(query_integer(database, "SELECT count(*) FROM source"), 1);
    EXPECT_EQ(query_integer(database, "SELECT bytes FROM source"), (1 << 20) + 3);
}

TEST_F(StoreTest, CleansLogsAndMalformedTexts) {
    Verdict v = full_verdict();
    v.label = "bad \xff byte";
    open().record(v, "", std::string("a\0b\xc3(", 5));
    const EvaluationRecord record = reopen().find(v.id);
    EXPECT_EQ(record.log,
              "a\xEF\xBF\xBD"
              "b\xEF\xBF\xBD(");
    EXPECT_EQ(record.verdict.label, "bad \xEF\xBF\xBD byte");
}

TEST_F(StoreTest, TakesLabelsAsTextOnly) {
    Store store = open();
    Verdict v = full_verdict();
    v.label = "x'); DROP TABLE evaluation; --";
    store.record(v, "", "");
    EvaluationFilter filter;
    filter.label = v.label;
    EXPECT_EQ(store.list(filter).size(), 1U);
    filter.label = "' OR 1 --";
    EXPECT_THAT(store.list(filter), IsEmpty());
}

TEST_F(StoreTest, RefusesASecondRecordOfTheSameId) {
    Store store = open();
    put(store, id_of(1), "2026-01-01T00:00:00.000Z");
    EXPECT_THROW(put(store, id_of(1), "2026-01-02T00:00:00.000Z"), Error);
    EXPECT_EQ(store.list({}).size(), 1U);
}

TEST_F(StoreTest, ListsNewestFirstByFilter) {
    Store store = open();
    put(store, id_of(1), "2026-01-02T00:00:00.000Z");
    put(store, id_of(2), "2026-01-01T00:00:00.000Z");
    put(store, id_of(3), "2026-01-02T00:00:00.000Z");
    Verdict other = full_verdict();
    other.id = id_of(4);
    other.created = "2026-01-03T00:00:00.000Z";
    other.problem = "L1_001";
    other.status = Status::timeout;
    other.kind = "check";
    store.record(other, "", "");

    const auto ids = [&](const EvaluationFilter& filter) {
        std::vector<std::string> all;
        for (const Verdict& v : store.list(filter)) {
            all.push_back(v.id);
        }
        return all;
    };
    EvaluationFilter filter;
    EXPECT_THAT(ids(filter), ElementsAre(id_of(4), id_of(3), id_of(1), id_of(2)));
    filter.limit = 2;
    EXPECT_THAT(ids(filter), ElementsAre(id_of(4), id_of(3)));
    filter.problem = "L2_076";
    EXPECT_THAT(ids(filter), ElementsAre(id_of(3), id_of(1)));
    filter.status = Status::timeout;
    EXPECT_THAT(ids(filter), IsEmpty());
    filter.problem.reset();
    filter.kind = "check";
    EXPECT_THAT(ids(filter), ElementsAre(id_of(4)));
    EXPECT_EQ(store.list({}).back().notes, full_verdict().notes);
    EXPECT_THAT(store.list({}).back().samples, IsEmpty());
}

TEST_F(StoreTest, FindsByPrefix) {
    Store store = open();
    const std::string one = "abcd0" + std::string(27, '0');
    const std::string two = "abcd1" + std::string(27, '0');
    put(store, one, "2026-01-01T00:00:00.000Z");
    put(store, two, "2026-01-02T00:00:00.000Z");
    EXPECT_EQ(store.find("abcd1").verdict.id, two);
    EXPECT_EQ(store.find("ABCD0").verdict.id, one);
    EXPECT_THAT(message_of([&] { store.find("abcd"); }),
                AllOf(HasSubstr("several"), HasSubstr(one), HasSubstr(two)));
    EXPECT_THAT(message_of([&] { store.find("ffff"); }),
                AllOf(HasSubstr("newest"), HasSubstr(one), HasSubstr(two)));
    EXPECT_THAT(message_of([&] { store.find("abc"); }), HasSubstr("no evaluation id"));
    EXPECT_THAT(message_of([&] { store.find("abc%"); }), HasSubstr("no evaluation id"));
    EXPECT_THAT(message_of([&] { store.find(std::string(33, 'a')); }), HasSubstr("no evaluation id"));
    EXPECT_THAT(message_of([&] { store.find("\x1b[2J"); }), Not(HasSubstr("\x1b")));
}

TEST_F(StoreTest, EnforcesForeignKeysAndStatuses) {
    open().record(full_verdict(), "", "");
    Database database(path(), Database::Access::read_write);
    EXPECT_THROW(database.execute("INSERT INTO trial VALUES (99, 0, 0, 1, 1, 1)"), Error);
    EXPECT_THROW(database.execute("DELETE FROM source"), Error);
    EXPECT_THROW(database.execute("UPDATE evaluation SET status = 'great'"), Error);
    EXPECT_THROW(database.execute("UPDATE evaluation SET success = 2"), Error);
    EXPECT_THROW(database.execute("UPDATE evaluation SET trials = 'many'"), Error);
    for (const Status status : all_statuses()) {
        database.execute("UPDATE evaluation SET status = '" + std::string(to_string(status)) + "'");
    }
    database.execute("DELETE FROM evaluation");
    EXPECT_EQ(query_integer(database, "SELECT count(*) FROM trial"), 0);
}

TEST_F(StoreTest, ViewsHoldTheFieldsOfTheVerdict) {
    Verdict v = full_verdict();
    v.flags = {"it's \"flagged\""};
    open().record(v, "", "");
    Database database(path(), Database::Access::read_only);
    const nlohmann::ordered_json json = to_json(v);
    for (const auto& [name, value] : json.items()) {
        EXPECT_NO_THROW(Statement(database, "SELECT \"v\".\"" + name + "\" FROM verdicts AS v")) << name;
    }
    EXPECT_EQ(query_text(database, "SELECT json_extract(flags, '$[0]') FROM verdicts"), v.flags[0]);
    EXPECT_EQ(query_text(database, "SELECT json_extract(versions, '$.torch') FROM verdicts"), "2.11.0");
    EXPECT_EQ(query_text(database, "SELECT seed FROM verdicts"), "18364758544493064720");
    EXPECT_EQ(query_integer(database, "SELECT count(*) FROM trials WHERE problem = 'L2_076'"), 3);
}

TEST_F(StoreTest, KeepsBlocksForAnAudit) {
    open().record(full_verdict(), "", "");
    const Verdict read = reopen().find(full_verdict().id).verdict;
    ASSERT_EQ(read.blocks.size(), 2U);
    EXPECT_EQ(read.blocks[1].round, 1);
    EXPECT_EQ(read.blocks[1].forwards, 2);
    EXPECT_EQ(read.blocks[1].ref_wall_ms, 6.4);
    EXPECT_EQ(read.blocks[1].ref_device_ms, 5.4);
    EXPECT_EQ(read.blocks[1].cand_wall_ms, 3.6);
    EXPECT_EQ(read.blocks[1].cand_device_ms, 2.5);
}

Calibration calibration_of(char id, const std::string& created, const std::string& gpu) {
    Calibration c;
    c.id = std::string(32, id);
    c.created = created;
    c.evaluator = "0123456789abcdef";
    c.device = "cuda:0";
    c.gpu = gpu;
    c.seconds = 12.5;
    c.failures = {"L1_001: \"broken\""};
    CalibrationTiming t{"L2_076", "full", 3,     0.01, 1.0099, 1.5,  2.5, 3,    2.97,
                        1.01,     1.005,  1.015, 1.02, 0.99,   1.05, 250, true, "a; b"};
    c.timings = {t, t};
    c.timings[1].gain = 0;
    return c;
}

TEST_F(StoreTest, KeepsCalibrations) {
    {
        Store store = open();
        EXPECT_FALSE(store.newest_calibration("", "", true).has_value());
        store.record(calibration_of('a', "2026-01-01T00:00:00.000Z", "NVIDIA H200"));
        store.record(calibration_of('b', "2026-01-03T00:00:00.000Z", "cpu"));
        store.record(calibration_of('c', "2026-01-02T00:00:00.000Z", "NVIDIA H200"));
        EXPECT_THROW(store.record(calibration_of('c', "2026", "cpu")), Error) << "its id is taken";
    }
    Store store = reopen();
    EXPECT_EQ(store.newest_calibration("", "", false)->id[0], 'b');
    EXPECT_FALSE(store.newest_calibration("ffffffffffffffff", "", false).has_value());
    const auto read = store.newest_calibration("0123456789abcdef", "NVIDIA H200", true);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(to_json(*read, true),
              to_json(calibration_of('c', "2026-01-02T00:00:00.000Z", "NVIDIA H200"), true));
    Database database(path(), Database::Access::read_only);
    EXPECT_EQ(query_integer(database, "SELECT sum(false_fast1) FROM calibrations"), 3);
    EXPECT_EQ(query_integer(database, "SELECT count(*) FROM calibration_timings WHERE gain > 0"), 3);
}

TEST_F(StoreTest, SaysWhatIsWrongWithADamagedRecord) {
    open().record(full_verdict(), "", "");
    {
        Database database(path(), Database::Access::read_write);
        database.execute("UPDATE evaluation SET agreement = '{}'");
    }
    try {
        reopen().list({});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::infrastructure);
        EXPECT_THAT(error.what(), AllOf(HasSubstr(full_verdict().id), HasSubstr("can't be read")));
    }
}

}  // namespace
}  // namespace kbeval
