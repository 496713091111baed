#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/file.h"
#include "judge/evaluation.h"

namespace kbeval {

/// How a station judges.
struct StationOptions {
    Layout layout;
    std::filesystem::path database;  ///< its folder is hidden from candidates
    bool keep_workdir = false;
    bool keep_reference = false;  ///< keep the reference of the last problem for the next candidate
    bool retry_start = false;     ///< also where the host did not start
    int attempts = 2;             ///< in all, where the machine fails
};

/// One device with its runner host, which starts with the first candidate that needs it: judges one candidate
/// after the other. To be used from one thread: the host ends with the thread that started it.
class Station {
  public:
    /// The device must outlive the station.
    Station(StationOptions options, Device& device);
    ~Station();
    Station(const Station&) = delete;
    Station& operator=(const Station&) = delete;

    /// An infrastructure failure is tried again, with a new host (unless none could be started; see options).
    Judgement judge(const EvaluationRequest& request, bool has_code, Progress& progress);

    /// Times a problem's reference against itself (see evaluation.h). A host that fails is replaced for the
    /// next call.
    void time_against_itself(const EvaluationRequest& request, const std::vector<SelfTiming>& timings,
                             Progress& progress, const std::function<bool(const SelfTimingResult&)>& done);

    [[nodiscard]] Device& device() { return device_; }

    // ---- for what runs references without judging
    /// Starts the runner host where there is none.
    Host& host();
    /// Ends it: the next that is asked for is a new one.
    void discard_host();
    /// A variable of the host's environment; set before it starts.
    void set_host_variable(const std::string& name, const std::string& value) {
        host_variables_[name] = value;
    }
    /// Folder for what processes write while they run.
    static std::filesystem::path work_folder();

  private:
    EvaluationContext context(const std::filesystem::path& scratch, Progress& progress);
    Judgement judge_once(const EvaluationRequest& request, bool has_code, Progress& progress);

    StationOptions options_;
    Device& device_;
    std::map<std::string, std::string> host_variables_;
    std::unique_ptr<TemporaryDirectory> references_;  ///< working folder of the kept reference's runners
    std::unique_ptr<Host> host_;
    std::unique_ptr<Reference> reference_;  ///< its runners belong to the host and go first
};

}  // namespace kbeval
