#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// The messages of harness/kbeval_harness/protocol.json as types. Names and fields are the same on both
/// sides; a test holds the two against each other. Layouts, trees and regions are opaque here: the Python
/// side makes them and the Python side reads them.
namespace kbeval::protocol {

inline constexpr int version = 1;

using Json = nlohmann::json;

// ---- to the host
struct Spawn {
    static constexpr const char* type = "spawn";
    std::int64_t runner = 0;
    std::string role;
    Json config = Json::object();
};
struct Kill {
    static constexpr const char* type = "kill";
    std::int64_t runner = 0;
};

/// Stops (or lets go on) every process in a runner's sandbox; answered by Frozen.
struct Freeze {
    static constexpr const char* type = "freeze";
    std::int64_t runner = 0;
    bool frozen = true;
};

// ---- from the host
struct Frozen {
    static constexpr const char* type = "frozen";
    std::int64_t runner = 0;
    bool ok = false;
};
struct Hello {
    static constexpr const char* type = "hello";
    std::int64_t protocol = 0;
    std::int64_t pid = 0;
    Json versions = Json::object();
};
struct Spawned {
    static constexpr const char* type = "spawned";
    std::int64_t runner = 0;
    std::int64_t pid = 0;
};
struct Exited {
    static constexpr const char* type = "exited";
    std::int64_t runner = 0;
    std::int64_t code = 0;
    std::int64_t signal = 0;
};

// ---- from any runner
struct Ready {
    static constexpr const char* type = "ready";
    Json report = Json::object();
};
struct Reply {
    static constexpr const char* type = "reply";
    bool ok = false;
    double seconds = 0;
    Json result = Json::object();
};

// ---- to the oracle
struct LoadProblem {
    static constexpr const char* type = "load_problem";
    std::string source;
    std::string file;
    Json overrides = Json::object();
};
struct DrawWeights {
    static constexpr const char* type = "draw_weights";
    std::uint64_t seed = 0;
    bool vary = false;  ///< make parameters that are all one value (zero biases, unit gains) differ
};
struct PlanInputs {
    static constexpr const char* type = "plan_inputs";
    std::uint64_t seed = 0;
};
struct Allocate {
    static constexpr const char* type = "allocate";
    int slots = 0;
};
struct DrawInputs {
    static constexpr const char* type = "draw_inputs";
    std::vector<int> slots;
    std::vector<std::uint64_t> seeds;
    std::vector<double> scales;  ///< by which floating inputs are multiplied, for each slot
};
struct AllocateOutputs {
    static constexpr const char* type = "allocate_outputs";
    Json outputs = Json::object();
    int slots = 0;
    std::vector<std::string> subjects;
};
struct Poison {
    static constexpr const char* type = "poison";
    std::string subject;
    std::vector<int> slots;
};
/// Remembers what the subject's output slots hold now; the next compare says which of them changed since.
struct Seal {
    static constexpr const char* type = "seal";
    std::string subject;
    std::vector<int> slots;
};
/// What the eager reference's outputs say of the inputs: are they finite, and have they changed at all so
/// far?
struct Survey {
    static constexpr const char* type = "survey";
    int slot = 0;
    double atol = 0;
    double rtol = 0;
};
struct Compare {
    static constexpr const char* type = "compare";
    std::string expected;
    std::string actual;
    std::vector<int> slots;
    double atol = 0;
    double rtol = 0;
};
struct CompareExact {
    static constexpr const char* type = "compare_exact";
    std::vector<std::string> subjects;
    int slot = 0;
};
struct InputsChanged {
    static constexpr const char* type = "inputs_changed";
    std::vector<int> slots;
};

// ---- to a subject
struct Build {
    static constexpr const char* type = "build";
    std::string source;
    std::string file;
    Json overrides = Json::object();
};
struct Construct {
    static constexpr const char* type = "construct";
    Json init_args = Json::array();
    std::uint64_t seed = 0;
};
struct Attach {
    static constexpr const char* type = "attach";
    Json weights = Json::object();
    Json inputs = Json::object();
    Json outputs = Json::object();
    Json regions = Json::array();
};
struct SyncWeights {
    static constexpr const char* type = "sync_weights";
};
struct Compile {
    static constexpr const char* type = "compile";
    int slot = 0;
};
struct Probe {
    static constexpr const char* type = "probe";
    int slot = 0;
};
struct Forward {
    static constexpr const char* type = "forward";
    int slot = 0;
};
struct TimeBlock {
    static constexpr const char* type = "time_block";
    int warm_slot = 0;
    int warm = 0;
    std::vector<int> slots;
    double head_start_us = 0;  ///< the device is held so long before each timed forward
    double spin_us = 0;        ///< and kept busy so long after it: calibration slows one side
};
struct Profile {
    static constexpr const char* type = "profile";
    int slot = 0;
    int forwards = 0;
};
struct PeakMemory {
    static constexpr const char* type = "peak_memory";
    int slot = 0;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Spawn, runner, role, config)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Kill, runner)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Freeze, runner, frozen)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Frozen, runner, ok)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Survey, slot, atol, rtol)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Seal, subject, slots)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Hello, protocol, pid, versions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Spawned, runner, pid)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Exited, runner, code, signal)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Ready, report)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Reply, ok, seconds, result)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LoadProblem, source, file, overrides)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DrawWeights, seed, vary)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlanInputs, seed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Allocate, slots)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DrawInputs, slots, seeds, scales)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AllocateOutputs, outputs, slots, subjects)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Poison, subject, slots)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Compare, expected, actual, slots, atol, rtol)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompareExact, subjects, slot)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InputsChanged, slots)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Build, source, file, overrides)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Construct, init_args, seed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Attach, weights, inputs, outputs, regions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Compile, slot)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Probe, slot)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Forward, slot)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TimeBlock, warm_slot, warm, slots, head_start_us, spin_us)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Profile, slot, forwards)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PeakMemory, slot)
inline void to_json(Json& json, const SyncWeights& /*message*/) {
    json = Json::object();
}

/// The message as a frame's body: its fields and `type`.
template <typename M>
Json body(const M& message) {
    Json json = message;
    json["type"] = M::type;
    return json;
}

// ---- parts of replies; parsing throws nlohmann's exceptions where the peer sent something else

/// One compared pair of output tensors.
struct Comparison {
    int slot = 0;
    int output = 0;
    std::int64_t numel = 0;
    std::int64_t mismatches = 0;
    std::int64_t nonfinite_mismatches = 0;
    double max_abs = 0;
    double max_rel = 0;
    std::int64_t worst_index = -1;
    double worst_expected = 0;
    double worst_actual = 0;
};
Comparison comparison_from(const Json& json);

/// One subject's errors against the reference in float64, over all elements of all outputs of a slot.
struct ExactError {
    double max_abs = 0;
    double sum_squares = 0;
    std::int64_t numel = 0;
};
ExactError exact_error_from(const Json& json);

/// Times of a block, milliseconds; element i belongs to the i-th slot asked for.
struct BlockTimes {
    std::vector<double> device_ms;
    std::vector<double> host_ms;
    std::vector<std::string> flags;
};
/// Throws std::runtime_error unless there are `count` finite, positive times of each kind.
BlockTimes block_times_from(const Json& json, std::size_t count);

/// Launches of one kernel during a profiled run.
struct KernelRecord {
    std::string name;  ///< mangled
    std::int64_t launches = 0;
    double total_ns = 0;
};
std::vector<KernelRecord> kernels_from(const Json& json);

/// What a runner answers when a request failed.
struct SubjectError {
    std::string kind;  ///< compile, weights, output, out_of_memory, exception
    std::string type;
    std::string message;
    std::int64_t line = 0;  ///< of the candidate's source, 0 where unknown
    std::string text;       ///< that line
};
SubjectError subject_error_from(const Json& json);

}  // namespace kbeval::protocol
