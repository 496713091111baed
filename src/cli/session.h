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
#include "judge/station.h"
#include "problem/problem.h"
#include "report/progress.h"
#include "store/store.h"

namespace kbeval::cli {

/// What one candidate is to be judged for.
struct Judging {
    bool timed = true;
    bool has_code = true;  ///< false: the reply held none
    std::string label;
    std::optional<std::uint64_t> seed{};  ///< base seed where the options give none
};

/// Everything that judging one candidate needs: catalogue, device, database, station.
class Session {
  public:
    /// Reads the catalogue. The options must outlive the session.
    explicit Session(const EvaluateOptions& options);

    /// Throws an input error that names the nearest ids.
    [[nodiscard]] const Problem& problem(const std::string& id) const { return catalogue_.find(id); }

    /// Opens device and database and looks for what is missing: before any work. Throws infrastructure
    /// errors.
    void prepare();

    /// Judges one candidate and stores the verdict. prepare() comes first.
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
    [[nodiscard]] Station& station() { return *station_; }
    /// The size that was asked for, or the device's default.
    [[nodiscard]] Size size() const;

  private:
    Verdict judge_and_store(const EvaluationRequest& request, bool has_code, Progress& progress);

    const EvaluateOptions options_;
    Layout layout_;
    Catalogue catalogue_;
    std::filesystem::path database_;
    std::unique_ptr<Device> device_;
    std::unique_ptr<Store> store_;
    std::unique_ptr<Station> station_;
};

/// The libraries that the build makes; without them nothing can be judged, so this is said before anything
/// starts. Throws infrastructure errors.
void require_harness(const Layout& layout);

/// The size that `name` (the option, perhaps empty) means on this device.
Size chosen_size(const std::string& name, const Device& device);

/// Names the calibration of its evaluator and GPU among the verdict's conditions, where it was timed.
void note_calibration(Store& store, Verdict& verdict);

/// 0 for a success verdict (or a check that ends well), 1 for any other judgement, 3 for infra_error.
int exit_status(const Verdict& verdict);

}  // namespace kbeval::cli
