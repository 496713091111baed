#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/layout.h"
#include "candidate/source.h"
#include "cli/options.h"
#include "device/device.h"
#include "judge/evaluation.h"
#include "problem/problem.h"
#include "report/progress.h"
#include "runner/host.h"
#include "store/store.h"

namespace kbeval::cli {

/// What one candidate is to be judged for.
struct Judging {
    bool timed = true;
    bool has_code = true;  ///< false: the reply held none
    std::string label;
    std::optional<std::uint64_t> seed{};  ///< base seed where the options give none
};

/// Everything that judging needs, opened once for any number of candidates: catalogue, device, database, and
/// the runner host, which starts with the first candidate that needs it.
class Session {
  public:
    /// Reads the catalogue. The options must outlive the session.
    explicit Session(const EvaluateOptions& options);

    /// Throws an input error that names the nearest ids.
    [[nodiscard]] const Problem& problem(const std::string& id) const { return catalogue_.find(id); }

    /// Opens device and database and looks for what is missing: before any work. Throws infrastructure
    /// errors.
    void prepare();

    /// Judges one candidate and stores the verdict. prepare() comes first. An infrastructure failure under a
    /// host that had started is tried once more, with a new host.
    Verdict judge(const Problem& problem, const CandidateSource& source, const Judging& judging,
                  Progress& progress);

    [[nodiscard]] const std::filesystem::path& database() const { return database_; }
    [[nodiscard]] const Catalogue& catalogue() const { return catalogue_; }
    [[nodiscard]] const Device& device() const { return *device_; }

  private:
    Host& host();
    Judgement judge_once(const EvaluationRequest& request, bool has_code, Progress& progress);

    const EvaluateOptions& options_;
    Layout layout_;
    Catalogue catalogue_;
    std::filesystem::path database_;
    std::unique_ptr<Device> device_;
    std::unique_ptr<Store> store_;
    std::unique_ptr<Host> host_;
};

/// 0 for a success verdict (or a check that ends well), 1 for any other judgement, 3 for infra_error.
int exit_status(const Verdict& verdict);

}  // namespace kbeval::cli
