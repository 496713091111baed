#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "device/device.h"
#include "judge/settings.h"
#include "problem/problem.h"
#include "runner/host.h"
#include "runner/runner.h"

namespace kbeval {

/// How much of a CUDA device's free memory the shared slots may take together.
inline constexpr double slot_memory_share = 0.3;

/// What the bench needs to start runners.
struct BenchOptions {
    int device = -1;                ///< ordinal within the host's view of the machine; -1 for the CPU
    std::filesystem::path scratch;  ///< folder for the references' own folders
    std::filesystem::path candidate_scratch;  ///< folder for the candidate's own folder
    nlohmann::json sandbox;                   ///< configuration for the candidate's runner; null: none
    std::map<std::string, std::string> candidate_environment;
};

/// The processes of one evaluation around their shared memory: the oracle, which makes and compares, and the
/// subjects (eager, compiled, candidate), which run. Knows which region each subject may open.
class Bench {
  public:
    Bench(Host& host, BenchOptions options);

    /// Forks the runner of a role; a subject or "oracle".
    Runner& start(const std::string& role);
    [[nodiscard]] bool has(const std::string& role) const { return runners_.contains(role); }
    [[nodiscard]] Runner& runner(const std::string& role) { return *runners_.at(role); }
    Runner& oracle() { return runner("oracle"); }
    void stop(const std::string& role);
    /// Waits until the processes of candidates that were stopped are gone, so that they disturb no timing.
    void await_leaving();

    /// Stops the last candidate; the next one's folder and environment are these.
    void change_candidate(const std::filesystem::path& scratch, nlohmann::json sandbox,
                          std::map<std::string, std::string> environment);
    /// Leaves no output of one candidate for the next to find.
    void clear_outputs();

    // ---- the oracle's work; times in seconds, all throw RunnerFailure
    /// Loads the problem; returns the encoded init arguments.
    nlohmann::json load_problem(const LoadedProblem& problem, const nlohmann::json& overrides);
    void draw_weights(std::uint64_t seed, bool vary = false);
    void plan_inputs(std::uint64_t seed);
    void define_outputs(const nlohmann::json& probe, const std::vector<std::string>& subjects);
    /// Makes slots [0, count) exist for inputs and every subject's outputs.
    void allocate(int count);
    /// `scales` multiplies the floating inputs of each slot; empty: all 1.
    void draw_inputs(const std::vector<int>& slots, const std::vector<std::uint64_t>& seeds,
                     std::vector<double> scales = {});
    /// Makes the inputs of slots unreadable until they are drawn again.
    void hide_inputs(const std::vector<int>& slots);
    /// Remembers the subject's outputs; `compare` then throws Judged if they changed in between.
    void seal(const std::string& subject, const std::vector<int>& slots);
    /// Scales other than 1 for which the reference was found to have finite answers; the timing stage uses
    /// them too.
    std::vector<double> usable_scales;
    /// See protocol::Survey: {finite, constant}.
    std::pair<bool, bool> survey(int slot, double atol, double rtol);
    void poison(const std::string& subject, const std::vector<int>& slots);
    std::vector<protocol::Comparison> compare(const std::string& subject, const std::vector<int>& slots,
                                              double atol, double rtol);
    /// Errors of each subject's outputs in a slot against the reference in float64.
    std::vector<protocol::ExactError> compare_exact(const std::vector<std::string>& subjects, int slot);
    std::vector<int> inputs_changed(const std::vector<int>& slots);

    /// Tells a subject of every region and layout that it may see and does not know yet. Does not wait.
    /// Returns whether there was anything to tell, that is, whether an answer is due.
    bool post_attach(const std::string& subject);
    void attach(const std::string& subject, double seconds);

    /// Bytes that one more slot costs, over inputs and all subjects' outputs, and bytes the device had free.
    [[nodiscard]] double slot_bytes() const { return slot_bytes_; }
    [[nodiscard]] double free_bytes() const { return free_bytes_; }
    [[nodiscard]] const nlohmann::json& output_specs() const { return outputs_.at("specs"); }

  private:
    struct Region {
        nlohmann::json description;
        UniqueFd fd;
    };
    struct Known {
        std::size_t regions = 0;
        bool weights = false;
        bool inputs = false;
        bool outputs = false;
    };

    void keep_regions(Answer& answer);
    Answer ask_oracle(const nlohmann::json& body);

    Host& host_;
    BenchOptions options_;
    std::map<std::string, std::unique_ptr<Runner>> runners_;
    std::vector<std::unique_ptr<Runner>> leaving_;  ///< stopped, and perhaps not gone yet
    std::vector<Region> regions_;
    std::map<std::string, Known> known_;
    std::vector<std::string> subjects_;
    nlohmann::json weights_;
    nlohmann::json inputs_;
    nlohmann::json outputs_;
    double slot_bytes_ = 0;
    double free_bytes_ = 0;
    int slots_ = 0;
};

}  // namespace kbeval
