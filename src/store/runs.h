#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"
#include "verdict/verdict.h"

namespace kbeval {

/// What one batch sets out to judge, and what must be the same for another to go on with it.
struct RunHeader {
    std::string id;        ///< 32 hex digits; given by `begin` where it is empty
    std::string source;    ///< as the user named it
    std::string identity;  ///< 64 hex digits over the jobs, the settings, the device's kind and the size
    std::string evaluator;
    std::string gpu;
    std::string size;
};

/// One candidate of a run.
struct JobRow {
    std::string job;  ///< 64 hex digits, unique within the run
    std::string problem;
    std::string label;
    std::string arm;
    std::string reader;
};

/// A job that has been judged.
struct JudgedJob {
    std::string job;
    std::string arm;
    std::string reader;
    Verdict verdict;  ///< without samples
};

/// Batches in the database. Not safe to share between threads.
class Runs {
  public:
    using Key = std::int64_t;

    explicit Runs(Store& store) : store_(store) {}

    /// Records a run with all its jobs; fills in `header.id`.
    Key begin(RunHeader& header, const std::vector<JobRow>& jobs);

    /// The newest run of this identity; fills in `header.id`.
    std::optional<Key> find(RunHeader& header);

    /// The run of this id.
    std::optional<Key> find_id(const std::string& id);

    /// Every job that has a verdict, in the order of the run.
    std::vector<JudgedJob> judged(Key run);

    /// Stores an evaluation and marks its job as done, both or neither. False, and nothing stored, where the
    /// job has a verdict already that is no infra_error (another process was quicker).
    bool complete(Key run, const std::string& job, const Verdict& verdict, std::string_view source,
                  std::string_view log);

    /// Marks a run whose every job has been judged.
    void finish(Key run);

  private:
    Store& store_;
};

}  // namespace kbeval
