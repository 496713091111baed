#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace kbeval {

/// One step of SplitMix64 (Steele, Lea and Flood 2014): expands and derives seeds.
constexpr std::uint64_t splitmix64(std::uint64_t& state) {
    state += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
}

/// Seed number `index` of the stream `stream` that `base` stands for.
constexpr std::uint64_t derive_seed(std::uint64_t base, std::uint64_t stream, std::uint64_t index) {
    std::uint64_t state = base;
    state = splitmix64(state) ^ (stream * 0xD1342543DE82EF95ULL);
    state = splitmix64(state) ^ (index * 0xAF251AF3B0F025B5ULL);
    return splitmix64(state);
}

/// xoshiro256** 1.0 (Blackman and Vigna 2018): the same sequence on every machine, unlike <random>'s
/// distributions.
class Xoshiro256 {
  public:
    explicit Xoshiro256(std::uint64_t seed) {
        for (std::uint64_t& word : state_) {
            word = splitmix64(seed);
        }
    }

    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t t = state_[1] << 17U;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// Uniform in [0, bound), unbiased (Lemire 2019, with rejection). `bound` is below 2^32.
    std::uint32_t below(std::uint32_t bound) {
        const std::uint32_t threshold = (0U - bound) % bound;
        for (;;) {
            const std::uint64_t product = (next() >> 32U) * bound;
            if (static_cast<std::uint32_t>(product) >= threshold) {
                return static_cast<std::uint32_t>(product >> 32U);
            }
        }
    }

  private:
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace kbeval
