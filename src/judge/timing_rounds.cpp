#include "judge/timing_rounds.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "judge/stages.h"
#include "stats/descriptive.h"

namespace kbeval {

namespace {

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

void append(std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

std::vector<PairedRound> paired_rounds(const std::vector<TimingRound>& rounds) {
    std::vector<PairedRound> all;
    all.reserve(rounds.size());
    for (const TimingRound& round : rounds) {
        all.push_back({round.eager.times.device_ms, round.candidate.times.device_ms});
    }
    return all;
}

std::vector<BlockPair> block_pairs(const std::vector<TimingRound>& rounds) {
    std::vector<BlockPair> all;
    all.reserve(rounds.size());
    for (const auto& [eager, candidate, compiled] : rounds) {
        all.push_back({static_cast<int>(all.size()), static_cast<int>(eager.times.device_ms.size()),
                       eager.wall_ms, sum(eager.times.device_ms), candidate.wall_ms,
                       sum(candidate.times.device_ms)});
    }
    return all;
}

double shorter_ms(const std::vector<TimingRound>& rounds) {
    std::vector<double> eager;
    std::vector<double> candidate;
    for (const TimingRound& round : rounds) {
        append(eager, round.eager.times.device_ms);
        append(candidate, round.candidate.times.device_ms);
    }
    return std::min(median(eager), median(candidate));
}

void conclude_times(Verdict& verdict, const std::vector<TimingRound>& rounds, const Interval& speedup) {
    std::vector<double> eager;
    std::vector<double> candidate;
    std::vector<double> ratios;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
        const TimingRound& round = rounds[r];
        for (std::size_t i = 0; i < round.eager.times.device_ms.size(); ++i) {
            Trial trial;
            trial.round = static_cast<int>(r);
            trial.ref_ms = round.eager.times.device_ms[i];
            trial.cand_ms = round.candidate.times.device_ms[i];
            if (round.compiled) {
                trial.compile_ms = round.compiled->times.device_ms[i];
            }
            eager.push_back(trial.ref_ms);
            candidate.push_back(trial.cand_ms);
            ratios.push_back(trial.ref_ms / trial.cand_ms);
            verdict.samples.push_back(trial);
        }
    }
    verdict.trials = static_cast<int>(eager.size());
    verdict.ref_ms = median(eager);
    verdict.cand_ms = median(candidate);
    verdict.speedup = speedup.estimate;
    verdict.speedup_mean = mean(ratios);
    verdict.speedup_lo95 = speedup.low;
    verdict.speedup_hi95 = speedup.high;
}

void conclude_clocks(Verdict& verdict, const std::vector<TimingRound>& rounds, const JudgeClock& clock) {
    verdict.blocks = block_pairs(rounds);
    verdict.judge_speedup = clock.speedup.estimate;
    verdict.judge_speedup_lo95 = clock.speedup.low;
    verdict.judge_speedup_hi95 = clock.speedup.high;
    verdict.conditions.emplace_back("cand_ms_judge_clock", significant(clock.cand_ms, 5));
    if (!clock.agree) {
        add_flag(verdict, "clock_disagreement");
        verdict.message = "the candidate's own clock says " + significant(clock.claimed_ms, 4) +
                          " ms a forward, the judge's clock around its blocks " +
                          significant(clock.cand_ms, 4) + " ms (more by over " +
                          significant(clock.noise_ms, 2) + " ms)";
    }
}

void conclude_compiled(Verdict& verdict, const std::vector<TimingRound>& rounds,
                       const std::optional<double>& off_by) {
    std::vector<double> compiled;
    std::vector<double> candidate;
    for (const TimingRound& round : rounds) {
        if (round.compiled) {
            append(compiled, round.compiled->times.device_ms);
            append(candidate, round.candidate.times.device_ms);
        }
    }
    if (compiled.empty()) {
        return;
    }
    verdict.compile_ms = median(compiled);
    if (off_by) {
        verdict.compile_note =
            "torch.compile of the reference does not agree with it at this tolerance (max_abs_diff=" +
            significant(*off_by, 4) + ")";
        return;
    }
    verdict.speedup_vs_compile = *verdict.compile_ms / median(candidate);
}

}  // namespace kbeval
