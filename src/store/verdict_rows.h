#pragma once

#include <cstdint>
#include <string>

#include "store/database.h"
#include "verdict/verdict.h"

namespace kbeval {

/// Columns of `evaluation` for a SELECT: `key` first, then those of columns.h.
const std::string& evaluation_columns();

/// Writes a verdict with all its lists inside the caller's transaction; `source` is the digest of a row of
/// `source`. Returns the key of the evaluation.
std::int64_t insert_verdict(Database& database, const Verdict& verdict, const std::string& source);

/// The verdict of the row that `row` stands on (a SELECT of `evaluation_columns()`), without its lists.
/// Throws an infrastructure error where the row holds what no kbeval has written.
Verdict read_columns(const Statement& row, const Database& database);

/// Adds flags, notes, versions, conditions, stages and what audit_rows.h reads.
void read_lists(Database& database, std::int64_t key, Verdict& verdict);

/// Adds the samples and the blocks.
void read_samples(Database& database, std::int64_t key, Verdict& verdict);

}  // namespace kbeval
