#include "timing/judge_clock.h"

#include <algorithm>
#include <cmath>

#include "stats/descriptive.h"

namespace kbeval {

namespace {

constexpr double relative_tolerance = 0.03;
constexpr double noise_multiple = 5;
constexpr double message_jitter_ms = 0.05;  ///< of one block's message, whatever the sample's spread says
/// Where overhead and noise leave nothing, the candidate's time is taken for this share of what it says.
constexpr double least_share = 0.01;

template <typename Value>
std::vector<double> values_of(const std::vector<BlockPair>& blocks, const std::vector<std::uint32_t>& indices,
                              Value value) {
    std::vector<double> values;
    values.reserve(indices.size());
    for (const std::uint32_t index : indices) {
        values.push_back(value(blocks[index]));
    }
    return values;
}

/// What the candidate's forwards took by the judge's clock: its block's wall time without what the trusted
/// subject shows that a block costs besides.
double seen_ms(const BlockPair& b) {
    return b.cand_wall_ms - (b.ref_wall_ms - b.ref_device_ms);
}

}  // namespace

JudgeClock read_judge_clock(const std::vector<BlockPair>& blocks, std::uint64_t seed, bool gpu) {
    const double host_work_ms = gpu ? 0.3 : 0.005;
    const auto candidate_block = [&blocks](const std::vector<std::uint32_t>& indices) {
        const double said =
            median(values_of(blocks, indices, [](const auto& b) { return b.cand_device_ms; }));
        return std::max(median(values_of(blocks, indices, seen_ms)), least_share * said);
    };
    const auto ratio = [&](const std::vector<std::uint32_t>& indices) {
        const double reference =
            median(values_of(blocks, indices, [](const auto& b) { return b.ref_device_ms; }));
        return reference / candidate_block(indices);
    };
    JudgeClock clock;
    clock.speedup = bootstrap(static_cast<int>(blocks.size()), ratio, seed);

    std::vector<double> seen;
    std::vector<double> claims;
    std::vector<double> beyond;
    for (const BlockPair& b : blocks) {
        seen.push_back(seen_ms(b) / b.forwards);
        claims.push_back(b.cand_device_ms / b.forwards);
        beyond.push_back(seen.back() - claims.back());
    }
    const double forwards = blocks.front().forwards;
    const double error = scaled_mad(beyond) / std::sqrt(static_cast<double>(beyond.size()));
    clock.cand_ms = median(seen);
    clock.claimed_ms = median(claims);
    clock.noise_ms = std::max({relative_tolerance * clock.claimed_ms, host_work_ms,
                               noise_multiple * (error + message_jitter_ms / forwards)});
    clock.agree = median(beyond) <= clock.noise_ms;
    return clock;
}

bool reference_slowed(double beside_ms, double alone_ms, bool gpu) {
    constexpr double gpu_share = 0.05;
    constexpr double cpu_share = 0.5;
    constexpr double least_ms = 0.01;
    return beside_ms > alone_ms * (1 + (gpu ? gpu_share : cpu_share)) + least_ms;
}

}  // namespace kbeval
