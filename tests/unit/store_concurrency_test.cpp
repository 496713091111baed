// Several processes at one database, and what is left when one of them dies.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "store/store.h"
#include "verdict_samples.h"

namespace kbeval {
namespace {

class StoreConcurrencyTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "kbeval.db"; }
    [[nodiscard]] Store open() const { return Store::open(path(), Store::Mode::read_write); }

  private:
    TemporaryDirectory folder_{std::filesystem::temp_directory_path(), "store-test"};
};

/// Runs `work` in a child process; an exception is its exit status 1. SQLite forbids carrying a connection
/// over a fork, so each side opens its own.
pid_t in_child(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            work();
        } catch (const std::exception& error) {
            ::fprintf(stderr, "child: %s\n", error.what());
            ::_exit(1);
        }
        ::_exit(0);
    }
    return child;
}

int status_of(pid_t child) {
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
}

/// Blocks until the child has written to the pipe's other end.
class Signal {
  public:
    Signal() { EXPECT_EQ(::pipe(ends_), 0); }
    void raise() const { EXPECT_EQ(::write(ends_[1], "x", 1), 1); }
    void wait() const {
        char byte = 0;
        EXPECT_EQ(::read(ends_[0], &byte, 1), 1);
    }

  private:
    int ends_[2] = {-1, -1};
};

TEST_F(StoreConcurrencyTest, TwoWritersAndAReaderLoseNothing) {
    constexpr std::uint64_t each = 200;
    const auto write_all = [&](char first) {
        Store store = open();  // both may be the first to make the schema
        for (std::uint64_t i = 0; i < each; ++i) {
            Verdict v = testing::full_verdict();
            v.id = testing::id_of(i, first);
            store.record(v, "source " + std::to_string(i), "log");
        }
    };
    const pid_t one = in_child([&] { write_all('a'); });
    const pid_t two = in_child([&] { write_all('b'); });
    const pid_t reader = in_child([&] {
        Store store = open();
        EvaluationFilter filter;
        filter.limit = 1000;
        for (std::size_t seen = 0; seen < 2 * each;) {
            const std::vector<Verdict> all = store.list(filter);
            if (all.size() < seen) {
                throw std::runtime_error("a record went away");
            }
            for (const Verdict& v : all) {
                if (v.stages.size() != 3) {
                    throw std::runtime_error("half a record was seen");
                }
            }
            seen = all.size();
        }
    });
    EXPECT_EQ(status_of(one), 0);
    EXPECT_EQ(status_of(two), 0);
    EXPECT_EQ(status_of(reader), 0);
    Database database(path(), Database::Access::read_only);
    EXPECT_EQ(query_integer(database, "SELECT count(*) FROM evaluation"),
              2 * static_cast<std::int64_t>(each));
    EXPECT_EQ(query_integer(database, "SELECT count(*) FROM trial"), 6 * static_cast<std::int64_t>(each));
    EXPECT_EQ(query_integer(database, "SELECT count(*) FROM source"), static_cast<std::int64_t>(each));
    EXPECT_EQ(query_text(database, "PRAGMA integrity_check"), "ok");
}

TEST_F(StoreConcurrencyTest, WaitsForALockThatAnotherProcessHolds) {
    constexpr auto held = std::chrono::seconds(2);
    open().prove_writable();
    const Signal locked;
    const pid_t holder = in_child([&] {
        Database database(path(), Database::Access::read_write);
        Transaction transaction(database);
        database.execute("INSERT INTO meta VALUES ('held', '1')");
        locked.raise();
        std::this_thread::sleep_for(held);
        transaction.commit();
    });
    locked.wait();
    const auto start = SteadyClock::now();
    open().record(testing::full_verdict(), "", "");
    EXPECT_GE(seconds_since(start), 1.5);
    EXPECT_EQ(status_of(holder), 0);
    Database database(path(), Database::Access::read_only);
    EXPECT_EQ(query_integer(database, "SELECT count(*) FROM meta WHERE key = 'held'"), 1);
    EXPECT_EQ(query_integer(database, "SELECT count(*) FROM evaluation"), 1);
}

TEST_F(StoreConcurrencyTest, AKilledWriterLeavesNothingOfItsTransaction) {
    open().record(testing::full_verdict(), "", "");
    const pid_t writer = in_child([&] {
        Database database(path(), Database::Access::read_write);
        database.execute("PRAGMA cache_size = 2");  // so that pages of the open transaction reach the disk
        const Transaction transaction(database);
        for (int i = 0; i < 2000; ++i) {
            database.execute("INSERT INTO source VALUES ('" + std::to_string(100000 + i) +
                             std::string(58, '0') + "', '" + std::string(1000, 'x') + "', 1000)");
        }
        ::raise(SIGKILL);
    });
    const int status = status_of(writer);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    Store store = open();
    EXPECT_EQ(store.list({}).size(), 1U);
    Verdict next = testing::full_verdict();
    next.id = testing::id_of(7);
    store.record(next, "next", "");
    Database database(path(), Database::Access::read_only);
    EXPECT_EQ(query_integer(database, "SELECT count(*) FROM source"), 2);
    EXPECT_EQ(query_text(database, "PRAGMA integrity_check"), "ok");
}

}  // namespace
}  // namespace kbeval
