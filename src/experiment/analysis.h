#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/episode_record.h"

namespace kbeval {

/// Speedups above which fast_p counts.
inline constexpr std::array<double, 5> fast_thresholds{0, 1, 1.5, 2, 4};

/// What came of one finished episode.
struct Outcome {
    std::string problem;
    int level = 0;
    std::string family;
    std::string split;
    std::string arm;
    std::string reader;
    int repeat = 0;
    bool finished = false;
    std::string status;  ///< of the judged SUBMIT; "unsubmitted" where there was none
    bool correct = false;
    bool flagged = false;
    bool success = false;
    double speedup = 0;       ///< 0 unless correct and timed
    double speedup_lo95 = 0;  ///< likewise
    double score = 0;
    int turns = 0;
    std::int64_t input_tokens = 0;
    std::int64_t output_tokens = 0;
    std::string origin;  ///< evaluator, GPU and size of the verdict; empty where there is none
};

Outcome outcome_of(const EpisodeRecord& episode);

/// Figures of one arm over its finished episodes. Every rate and mean is taken over problems, where a problem
/// with several readers or repeats counts by its own mean: each problem weighs the same.
struct ArmSummary {
    std::string arm;
    int episodes = 0;  ///< finished
    int open = 0;      ///< left out
    int problems = 0;
    /// Share correct, not flagged, and with speedup_lo95 above the threshold.
    std::array<double, fast_thresholds.size()> fast{};
    /// Share correct with a speedup above the threshold: fast_p of Ouyang et al. 2025 (KernelBench),
    /// section 3.
    std::array<double, fast_thresholds.size()> fast_raw{};
    double success_rate = 0;
    double mean_score = 0;
    std::optional<double> geometric_mean_score;  ///< of the episodes with a score above 0; none: absent
    double mean_turns = 0;
    std::int64_t input_tokens = 0;
    std::int64_t output_tokens = 0;
    std::map<std::string, int> statuses;
};

/// A minus B, paired by problem, reader and repeat.
struct PairedDifference {
    std::string a;
    std::string b;
    int problems = 0;  ///< that have at least one pair
    int pairs = 0;
    double mean_score = 0;      ///< mean over problems of the mean difference in score
    std::optional<double> low;  ///< 95 % bootstrap interval over problems; absent for fewer than 4 problems
    std::optional<double> high;
    double success_rate = 0;  ///< likewise of success
    int wins = 0;             ///< problems whose mean difference in score is above the margin
    int losses = 0;
    int ties = 0;
    double sign_p = 1;  ///< two-sided sign test over wins and losses
};

struct ComparisonOptions {
    double tie_margin = 0;  ///< differences in score up to this are ties
    std::uint64_t seed = 0;
    int resamples = 10000;
};

ArmSummary summarize(const std::string& arm, const std::vector<Outcome>& outcomes);

PairedDifference paired_difference(const std::string& a, const std::string& b,
                                   const std::vector<Outcome>& outcomes, const ComparisonOptions& options);

/// Two-sided exact binomial test of `wins` against `losses` at one half (Conover 1999, section 3.4).
double sign_test(int wins, int losses);

/// 95 % interval of a mean by resampling, with the expanded percentile levels of stats/bootstrap.h. Needs 4
/// values or more.
std::pair<double, double> bootstrap_mean(const std::vector<double>& values, std::uint64_t seed,
                                         int resamples);

}  // namespace kbeval
