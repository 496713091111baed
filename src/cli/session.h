#pragma once

#include <filesystem>
#include <map>
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

    /// Times a problem's reference against itself (see judge/evaluation.h). A host that fails is replaced for
    /// the next call.
    void time_against_itself(const Problem& problem, Size size, const std::vector<SelfTiming>& timings,
                             Progress& progress, const std::function<bool(const SelfTimingResult&)>& done);

    /// Fills in what was calibrated, and when, and stores it.
    void record(Calibration& calibration);

    /// Judges what a stored evaluation judged, with its source, seed, size, tolerance and settings; stores
    /// it.
    Verdict judge_again(const EvaluationRecord& record, Progress& progress);

    [[nodiscard]] const std::filesystem::path& database() const { return database_; }
    [[nodiscard]] const Catalogue& catalogue() const { return catalogue_; }
    [[nodiscard]] const Device& device() const { return *device_; }

    // ---- for commands that run references without judging; prepare() comes first
    [[nodiscard]] const Layout& layout() const { return layout_; }
    [[nodiscard]] Device& device() { return *device_; }
    [[nodiscard]] Store& store() { return *store_; }
    /// The size that was asked for, or the device's default.
    [[nodiscard]] Size size() const;
    /// Starts the runner host where there is none.
    Host& host();
    /// Ends it: the next that is asked for is a new one.
    void drop_host() { host_.reset(); }
    /// A variable of the host's environment; set before it starts.
    void set_host_variable(const std::string& name, const std::string& value) {
        host_variables_[name] = value;
    }
    /// Folder for what processes write while they run.
    [[nodiscard]] static std::filesystem::path work_folder();

  private:
    Judgement judge_once(const EvaluationRequest& request, bool has_code, Progress& progress);
    Verdict judge_and_store(const EvaluationRequest& request, bool has_code, Progress& progress);
    [[nodiscard]] EvaluationContext context(const std::filesystem::path& scratch, Progress& progress);

    const EvaluateOptions& options_;
    Layout layout_;
    Catalogue catalogue_;
    std::filesystem::path database_;
    std::unique_ptr<Device> device_;
    std::unique_ptr<Store> store_;
    std::unique_ptr<Host> host_;
    std::map<std::string, std::string> host_variables_;
};

/// What seeds derive from where the user gave none.
std::uint64_t random_seed();

/// 0 for a success verdict (or a check that ends well), 1 for any other judgement, 3 for infra_error.
int exit_status(const Verdict& verdict);

}  // namespace kbeval::cli
