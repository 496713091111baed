#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "store/store.h"

namespace kbeval {

/// What folding one database into another did.
struct MergeResult {
    std::int64_t evaluations = 0;  ///< new ones
    std::int64_t known = 0;        ///< that were there already, alike in everything
    std::int64_t runs = 0;         ///< new ones
    std::int64_t jobs = 0;         ///< jobs of known runs that have their evaluation now
    std::int64_t calibrations = 0;
    /// Each says what differs: an evaluation of the same id with other contents, a job that two databases
    /// judged. What `into` holds stays.
    std::vector<std::string> conflicts;
};

/// Folds the evaluations, batches and calibrations of the database `from` into `into`, in one transaction:
/// all or nothing; doing it again changes nothing. Contexts, episodes and experiments are not carried over.
/// `from` is brought up to date first. Throws input errors where `from` is no kbeval database, or is the same
/// file.
MergeResult merge_database(Store& into, const std::filesystem::path& from);

}  // namespace kbeval
