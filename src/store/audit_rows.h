#pragma once

#include <cstdint>

#include "store/database.h"
#include "verdict/verdict.h"

namespace kbeval {

/// Writes what an audit needs beside the verdict's columns: the judge's clock with its blocks, precision,
/// settings.
void insert_audit(Database& database, std::int64_t key, const Verdict& verdict);

/// Reads it back; blocks are left to `read_blocks`. What an older kbeval did not record stays empty.
void read_audit(Database& database, std::int64_t key, Verdict& verdict);
void read_blocks(Database& database, std::int64_t key, Verdict& verdict);

}  // namespace kbeval
