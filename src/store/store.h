#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/calibration.h"
#include "store/catalogue_rows.h"
#include "store/database.h"
#include "verdict/verdict.h"

namespace kbeval {

/// Which evaluations to list; what is not set does not restrict.
struct EvaluationFilter {
    std::optional<std::string> problem;  ///< exact id
    std::optional<Status> status;
    std::optional<std::string> label;  ///< exact text
    std::optional<std::string> kind;   ///< run or check
    int limit = 20;                    ///< at most so many, the newest
};

/// All that is stored of one evaluation.
struct EvaluationRecord {
    Verdict verdict;
    std::string source;  ///< the candidate's, byte for byte
    std::string log;     ///< what the candidate runner printed
};

/// The database of evaluations (docs/database.md). It needs no GPU and no Python.
class Store {
  public:
    enum class Mode {
        read_write,  ///< file and folder are made where missing
        read_only,   ///< a missing file is an input error that says that nothing has been recorded there
    };

    /// Free space below which `prove_writable` refuses, in bytes.
    static constexpr std::uintmax_t least_free_space = std::uintmax_t{16} << 20U;

    /// Opens and brings the schema up to date. Throws an input error where the file is no kbeval database, or
    /// one of a newer kbeval; an infrastructure error where the file system, a lock or damage is the reason.
    static Store open(const std::filesystem::path& path, Mode mode);

    /// Takes over a connection whose schema is up to date (see migrations.h).
    explicit Store(Database database);

    /// Commits a small write and looks at the free space, so that a full disk or a read-only file is an error
    /// before the GPU works and not after. Throws an infrastructure error.
    void prove_writable();

    /// Stores one evaluation in one transaction, or nothing of it. Waits up to 60 s for another writer.
    /// Malformed UTF-8 in the verdict's texts and in `log` is stored as U+FFFD; `source` is stored as it is.
    void record(const Verdict& verdict, std::string_view source, std::string_view log);

    /// Likewise, with what `also` writes about the evaluation's key in the same transaction. Where it returns
    /// false, nothing is stored. Returns what it returned.
    using Also = std::function<bool(Database& database, std::int64_t evaluation)>;
    bool record(const Verdict& verdict, std::string_view source, std::string_view log, const Also& also);

    /// Brings what the views say of problems up to date (see catalogue_rows.h).
    void note_problems(const std::vector<ProblemRow>& rows) { kbeval::note_problems(database_, rows); }
    /// Whether that would write.
    bool problems_are_new(const std::vector<ProblemRow>& rows) {
        return kbeval::problems_are_new(database_, rows);
    }

    /// The evaluation whose id begins with `prefix` (4 to 32 hex digits, any letter case). Throws an input
    /// error where none (it names the newest ids) or several (it names them) do.
    EvaluationRecord find(std::string_view prefix);

    /// Takes an evaluation (named as for `find`) back with all that hangs on it: samples, events of bullets,
    /// what living memory admitted from it; its job in a batch counts as not judged again. Returns its id.
    std::string remove(std::string_view prefix);

    /// Newest first; samples are left out.
    std::vector<Verdict> list(const EvaluationFilter& filter);

    /// Stores a calibration with all its timings in one transaction.
    void record(const Calibration& calibration);

    /// The newest calibration of this evaluator on this kind of GPU; empty arguments match any. Nothing where
    /// there is none. Timings are read only where asked for.
    std::optional<Calibration> newest_calibration(const std::string& evaluator, const std::string& gpu,
                                                  bool timings);

    [[nodiscard]] const std::filesystem::path& path() const { return database_.path(); }

    /// The connection, for parts that keep tables of their own in the same file.
    [[nodiscard]] Database& database() { return database_; }

  private:
    Database database_;
};

/// Throws an infrastructure error where the file system of `path` has fewer than `least` bytes free.
void require_free_space(const std::filesystem::path& path, std::uintmax_t least);

}  // namespace kbeval
