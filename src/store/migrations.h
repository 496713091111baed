#pragma once

#include <span>

#include "store/database.h"

namespace kbeval {

/// Marks a file as kbeval's: "kbev" in the application_id of its header.
inline constexpr std::int64_t application_id = 0x6B626576;

/// SQL of each migration in order; number i brings user_version from i to i + 1. Never change one that was
/// released.
std::span<const char* const> migrations();

/// What a file turned out to be.
enum class SchemaState {
    empty,    ///< an SQLite database without anything in it
    old,      ///< kbeval's, of an earlier version
    current,  ///< kbeval's, of this version
};

/// Throws an input error where the file is no SQLite database, another program's, or of a newer kbeval.
SchemaState inspect(Database& database, std::span<const char* const> known = migrations());

/// Applies the migrations that are missing, each in one transaction. Safe beside another process that does
/// the same.
void bring_up_to_date(Database& database, std::span<const char* const> known = migrations());

/// Turns on write-ahead logging, so that readers and a writer don't wait for each other. False where the file
/// system can't do it: all works then, but readers and writers take turns.
bool use_write_ahead_log(Database& database);

}  // namespace kbeval
