#include "store/migrations.h"

#include <array>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "store/migration_1.h"
#include "store/migration_2.h"
#include "store/migration_3.h"
#include "store/migration_4.h"
#include "store/migration_5.h"
#include "store/migration_6.h"
#include "store/migration_7.h"
#include "store/migration_8.h"
#include "store/migration_9.h"

namespace kbeval {

namespace {

constexpr std::array released{migration_1, migration_2, migration_3, migration_4, migration_5,
                              migration_6, migration_7, migration_8, migration_9};

bool holds_nothing(Database& database) {
    return query_integer(database, "SELECT count(*) FROM sqlite_schema") == 0;
}

}  // namespace

std::span<const char* const> migrations() {
    return released;
}

SchemaState inspect(Database& database, std::span<const char* const> known) {
    const Transaction snapshot(database, Transaction::Kind::read);
    const std::int64_t owner = query_integer(database, "PRAGMA application_id");
    const std::int64_t version = query_integer(database, "PRAGMA user_version");
    const auto latest = static_cast<std::int64_t>(known.size());
    if (owner == 0 && version == 0 && holds_nothing(database)) {
        return SchemaState::empty;
    }
    const std::string file = database.path().string();
    if (owner != application_id || version < 1) {
        throw input_error(file + ": an SQLite database, but not one of kbeval",
                          "name a kbeval database, or a new file, with --db");
    }
    if (version > latest) {
        throw input_error(file + ": written by a newer kbeval (schema " + std::to_string(version) +
                              ", this one knows up to " + std::to_string(latest) + ")",
                          "use that kbeval, or name another database with --db");
    }
    return version < latest ? SchemaState::old : SchemaState::current;
}

void bring_up_to_date(Database& database, std::span<const char* const> known) {
    if (inspect(database, known) == SchemaState::current) {
        return;
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
        Transaction transaction(database);
        // Asked under the write lock: another process may have come first.
        if (query_integer(database, "PRAGMA user_version") == static_cast<std::int64_t>(i)) {
            database.execute(known[i]);
            database.execute("PRAGMA application_id = " + std::to_string(application_id));
            database.execute("PRAGMA user_version = " + std::to_string(i + 1));
        }
        transaction.commit();
    }
}

bool use_write_ahead_log(Database& database) {
    constexpr double patience_s = 60;
    const auto start = SteadyClock::now();
    while (query_text(database, "PRAGMA journal_mode") != "wal") {
        // Two processes that switch a new file at once see "busy" without having waited, hence the loop.
        const int code =
            sqlite3_exec(database.handle(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr) & 0xFF;
        if (code != SQLITE_OK && code != SQLITE_BUSY && code != SQLITE_LOCKED) {
            database.fail("turning on write-ahead logging");
        }
        if (code == SQLITE_OK) {
            return query_text(database, "PRAGMA journal_mode") == "wal";
        }
        if (seconds_since(start) > patience_s) {
            database.fail("turning on write-ahead logging");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

}  // namespace kbeval
