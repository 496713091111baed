// What the store says of files that are no database of its own, and of disks that don't take it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/error.h"
#include "base/file.h"
#include "store/migrations.h"
#include "store/store.h"
#include "verdict_samples.h"

namespace kbeval {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class StoreOpenTest : public ::testing::Test {
  protected:
    [[nodiscard]] fs::path folder() const { return folder_.path(); }
    [[nodiscard]] fs::path path() const { return folder() / "kbeval.db"; }

    void record_one() const {
        Store::open(path(), Store::Mode::read_write).record(testing::full_verdict(), "source", "log");
    }

  private:
    TemporaryDirectory folder_{fs::temp_directory_path(), "store-test"};
};

/// Runs `action`, which must throw an Error of `kind` that names `file`; returns its message.
std::string refusal(ErrorKind kind, const fs::path& file, const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        EXPECT_THAT(error.what(), HasSubstr(file.string()));
        EXPECT_FALSE(error.hint().empty()) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
}

/// Exit status of `action` in a child that is an ordinary user, so that permissions bind; -1 where it can't
/// be one.
int as_ordinary_user(const std::function<int()>& action) {
    constexpr int cannot = 99;
    const int child = ::fork();
    if (child == 0) {
        constexpr unsigned nobody = 65534;
        if (::geteuid() == 0 && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) {
            ::_exit(cannot);
        }
        ::_exit(action());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -2;
    return code == cannot ? -1 : code;
}

TEST_F(StoreOpenTest, MakesFileFolderAndSchema) {
    const fs::path deep = folder() / "a" / "b" / "kbeval.db";
    Store::open(deep, Store::Mode::read_write).prove_writable();
    Database database(deep, Database::Access::read_only);
    EXPECT_EQ(query_integer(database, "PRAGMA user_version"), static_cast<std::int64_t>(migrations().size()));
    EXPECT_EQ(query_integer(database, "PRAGMA application_id"), application_id);
    EXPECT_EQ(query_text(database, "PRAGMA journal_mode"), "wal");
    EXPECT_EQ(query_integer(database, "PRAGMA foreign_keys"), 1);
    EXPECT_EQ(query_text(database, "SELECT key FROM meta"), "last_proof");
    EXPECT_EQ(query_text(database, "PRAGMA integrity_check"), "ok");
}

TEST_F(StoreOpenTest, ReadingWhereNothingIsRecordedSaysSo) {
    const auto read = [&] { Store::open(path(), Store::Mode::read_only); };
    EXPECT_THAT(refusal(ErrorKind::input, path(), read), HasSubstr("nothing has been recorded there yet"));
    EXPECT_FALSE(fs::exists(path()));
    write_file(path(), "");
    EXPECT_THAT(refusal(ErrorKind::input, path(), read), HasSubstr("nothing has been recorded there yet"));
    Store store = Store::open(path(), Store::Mode::read_write);
    const auto find = [&] { store.find("abcd"); };
    EXPECT_THAT(refusal(ErrorKind::input, path(), find), HasSubstr("nothing has been recorded there yet"));
    EXPECT_TRUE(store.list({}).empty());
}

TEST_F(StoreOpenTest, NamesWithAMeaningToSqliteAreFiles) {
    const fs::path start = fs::current_path();
    fs::current_path(folder());
    for (const char* name : {":memory:", "file:x?mode=memory", "100%25 #1?.db"}) {
        Store::open(name, Store::Mode::read_write).record(testing::full_verdict(), "", "");
        EXPECT_TRUE(fs::exists(folder() / name)) << name;
        EXPECT_EQ(Store::open(name, Store::Mode::read_only).list({}).size(), 1U) << name;
    }
    fs::current_path(start);
}

TEST_F(StoreOpenTest, RefusesWhatIsNoDatabase) {
    for (const Store::Mode mode : {Store::Mode::read_write, Store::Mode::read_only}) {
        const auto open = [mode](const fs::path& file) { return [=] { Store::open(file, mode); }; };
        EXPECT_THAT(refusal(ErrorKind::input, folder(), open(folder())), HasSubstr("is a folder"));
        EXPECT_THROW(Store::open("/dev/full", mode), Error);
        const fs::path text = folder() / "notes.txt";
        write_file(text, "Dear diary, " + std::string(5000, 'x'));
        EXPECT_THAT(refusal(ErrorKind::input, text, open(text)), HasSubstr("not an SQLite database"));
        EXPECT_EQ(fs::file_size(text), 5012U);
    }
    const fs::path below = folder() / "notes.txt" / "kbeval.db";
    EXPECT_THROW(Store::open(below, Store::Mode::read_only), Error);
    EXPECT_THROW(Store::open(below, Store::Mode::read_write), Error);
}

TEST_F(StoreOpenTest, RefusesOtherProgramsDatabases) {
    const auto open = [&] { Store::open(path(), Store::Mode::read_write); };
    {
        Database other(path(), Database::Access::read_write);
        other.execute("CREATE TABLE t (x)");
    }
    EXPECT_THAT(refusal(ErrorKind::input, path(), open), HasSubstr("not one of kbeval"));
    {
        Database other(path(), Database::Access::read_write);
        other.execute("DROP TABLE t; PRAGMA application_id = 7");
    }
    EXPECT_THAT(refusal(ErrorKind::input, path(), open), HasSubstr("not one of kbeval"));
}

TEST_F(StoreOpenTest, RefusesANewerVersion) {
    record_one();
    {
        Database database(path(), Database::Access::read_write);
        database.execute("PRAGMA user_version = 1000");
    }
    for (const Store::Mode mode : {Store::Mode::read_write, Store::Mode::read_only}) {
        const auto open = [&] { Store::open(path(), mode); };
        EXPECT_THAT(refusal(ErrorKind::input, path(), open), HasSubstr("newer kbeval (schema 1000"));
    }
}

TEST_F(StoreOpenTest, MigratesStepByStep) {
    constexpr std::array<const char*, 3> steps{"CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y",
                                               "INSERT INTO a VALUES (1, 2)"};
    const std::span<const char* const> all(steps);
    Database database(path(), Database::Access::read_write);
    EXPECT_EQ(inspect(database, all), SchemaState::empty);
    bring_up_to_date(database, all.first(1));
    EXPECT_EQ(inspect(database, all), SchemaState::old);
    bring_up_to_date(database, all);
    bring_up_to_date(database, all);
    EXPECT_EQ(inspect(database, all), SchemaState::current);
    EXPECT_EQ(query_integer(database, "SELECT sum(x + y) FROM a"), 3);
}

TEST_F(StoreOpenTest, AFailedMigrationLeavesTheVersionBefore) {
    constexpr std::array<const char*, 2> steps{"CREATE TABLE a (x)",
                                               "CREATE TABLE b (x); INSERT INTO nowhere VALUES (1)"};
    Database database(path(), Database::Access::read_write);
    EXPECT_THROW(bring_up_to_date(database, steps), Error);
    EXPECT_EQ(query_integer(database, "PRAGMA user_version"), 1);
    EXPECT_EQ(query_integer(database, "SELECT count(*) FROM sqlite_schema"), 1);
}

TEST_F(StoreOpenTest, AFullDiskIsSaidAndLeavesNothing) {
    record_one();
    Database database(path(), Database::Access::read_write);
    database.execute("PRAGMA max_page_count = 1");  // SQLite raises it to the present size
    Store store(std::move(database));
    Verdict second = testing::full_verdict();
    second.id = testing::id_of(2);
    const auto record = [&] { store.record(second, std::string(1 << 20, 'x'), ""); };
    EXPECT_THAT(refusal(ErrorKind::infrastructure, path(), record), HasSubstr("the disk is full"));
    EXPECT_EQ(store.list({}).size(), 1U);
    Database check(path(), Database::Access::read_only);
    EXPECT_EQ(query_integer(check, "SELECT count(*) FROM source"), 1);
    EXPECT_EQ(query_text(check, "PRAGMA integrity_check"), "ok");
}

TEST_F(StoreOpenTest, TooLittleFreeSpaceIsSaid) {
    EXPECT_NO_THROW(require_free_space(path(), 1));
    const auto want_all = [&] { require_free_space(path(), UINTMAX_MAX); };
    EXPECT_THAT(refusal(ErrorKind::infrastructure, path(), want_all), HasSubstr("MiB are free"));
}

TEST_F(StoreOpenTest, DamageIsSaid) {
    record_one();
    {
        Database database(path(), Database::Access::read_write);
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    std::string bytes = read_file(path(), 1 << 24);
    std::fill(bytes.begin() + 4096, bytes.end(), '\x5A');
    write_file(path(), bytes);
    const auto read = [&] { Store::open(path(), Store::Mode::read_only).list({}); };
    EXPECT_THAT(refusal(ErrorKind::infrastructure, path(), read), HasSubstr("damaged"));
}

TEST_F(StoreOpenTest, AReadOnlyFileCanBeReadAndRefusesWriters) {
    record_one();
    for (const fs::path& left : {path(), folder()}) {
        ::chmod(left.c_str(), left == path() ? 0444 : 0555);
    }
    const int read = as_ordinary_user(
        [&] { return Store::open(path(), Store::Mode::read_only).list({}).size() == 1 ? 0 : 1; });
    const int write = as_ordinary_user([&] {
        const auto open = [&] { Store::open(path(), Store::Mode::read_write).prove_writable(); };
        const std::string message = refusal(ErrorKind::infrastructure, path(), open);
        return message.find("read-only") != std::string::npos ? 0 : 1;
    });
    const int new_file = as_ordinary_user([&] {
        const fs::path file = folder() / "new" / "kbeval.db";
        refusal(ErrorKind::infrastructure, file, [&] { Store::open(file, Store::Mode::read_write); });
        return HasFailure() ? 1 : 0;
    });
    ::chmod(folder().c_str(), 0700);
    if (read < 0) {
        GTEST_SKIP() << "this process can't become an ordinary user";
    }
    EXPECT_EQ(read, 0);
    EXPECT_EQ(write, 0);
    EXPECT_EQ(new_file, 0);
}

}  // namespace
}  // namespace kbeval
