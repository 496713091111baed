#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "verdict/status.h"

namespace kbeval {

/// One timed forward of each subject on the same fresh inputs. Milliseconds by the subject's device clock.
struct Trial {
    int round = 0;                     ///< which pair of blocks it belongs to
    double ref_ms = 0;                 ///< eager reference
    double cand_ms = 0;                ///< candidate
    std::optional<double> compile_ms;  ///< reference under torch.compile, where it takes part
};

/// A round's blocks by the judge's own clock, which no candidate reaches, with what its subjects say of the
/// same forwards. Milliseconds for the whole block.
struct BlockPair {
    int round = 0;
    int forwards = 0;
    double ref_wall_ms = 0;
    double ref_device_ms = 0;  ///< sum over the block's trials
    double cand_wall_ms = 0;
    double cand_device_ms = 0;
};

/// Errors of reference and candidate against the reference in float64, over all outputs and seeds.
struct Precision {
    double ref_max_abs = 0;
    double ref_rms = 0;
    double cand_max_abs = 0;
    double cand_rms = 0;
    int seeds = 0;  ///< how many seeds' outputs these are of
};

/// One stage of the pipeline and what it took on kbeval's clock.
struct StageTime {
    std::string name;
    double seconds = 0;
};

/// How the outputs agreed, over all seeds of the correctness stage (or the comparison that failed).
struct Agreement {
    double max_abs_diff = 0;
    double max_rel_diff = 0;
    double share_beyond = 0;  ///< share of elements beyond tolerance, of the worst comparison
    int seeds_checked = 0;
    // The worst element: which output, its index in that output (row-major), and both values.
    int output = 0;
    std::vector<std::int64_t> worst_index;
    double worst_expected = 0;
    double worst_actual = 0;
};

/// The recorded outcome of one evaluation. Field names are those of the JSON, the database and the
/// documentation.
struct Verdict {
    // what was judged
    std::string id;  ///< 32 hex digits, unique
    std::string created;
    std::string kind = "run";  ///< run or check
    std::string problem;
    std::string problem_digest;
    std::string candidate_digest;
    std::string label;

    // outcome
    Status status = Status::infra_error;
    std::string message;  ///< why, exact enough to act on; empty where correct
    std::optional<double> ref_ms;
    std::optional<double> compile_ms;
    std::optional<double> cand_ms;
    std::optional<double> speedup;
    std::optional<double> speedup_mean;
    std::optional<double> speedup_lo95;
    std::optional<double> speedup_hi95;
    // The same ratio by the judge's clock around whole blocks; coarser, and out of the candidate's reach.
    std::optional<double> judge_speedup;
    std::optional<double> judge_speedup_lo95;
    std::optional<double> judge_speedup_hi95;
    std::optional<double> speedup_vs_compile;
    std::string compile_note;  ///< why speedup_vs_compile is null
    int trials = 0;
    std::optional<double> own_kernel_time_frac;
    bool fast1_raw = false;
    bool fast1 = false;
    bool success = false;
    double score = 0;
    std::vector<std::string> flags;
    std::vector<std::string> notes;  ///< facts that disqualify nothing
    std::optional<Agreement> agreement;
    std::optional<Precision> precision;  ///< where an exact oracle was asked for

    // what makes it comparable
    std::string evaluator;
    std::string device;  ///< cuda:0 or cpu
    std::string gpu;     ///< name of the GPU, or "cpu"
    std::string size = "full";
    double atol = 0;
    double rtol = 0;
    std::uint64_t seed = 0;  ///< the base seed from which all others derive
    int seeds = 0;
    std::vector<std::pair<std::string, std::string>> versions;
    std::vector<std::pair<std::string, std::string>>
        conditions;  ///< GPU state and sandbox layers as recorded

    std::vector<std::pair<std::string, std::string>> settings;  ///< judge/settings.h, to judge alike again

    std::vector<StageTime> stages;
    std::vector<Trial> samples;
    std::vector<BlockPair> blocks;
};

/// Speedup above which a verdict is set aside for a human.
inline constexpr double excessive_speedup = 10.0;
/// Highest score.
inline constexpr double score_cap = 10.0;

/// Flag that says that the reference is the less accurate side. It tells a reader, and disqualifies nothing.
inline constexpr const char* flag_reference_less_accurate = "reference_less_accurate";

/// Whether a flag keeps the verdict from being a success.
bool disqualified(const Verdict& verdict);

/// Derives fast1_raw, fast1, success and score from the fields they depend on. Idempotent.
void conclude(Verdict& verdict);

/// One object with the fields of design's verdict table and those above; samples are left out.
nlohmann::ordered_json to_json(const Verdict& verdict);

}  // namespace kbeval
