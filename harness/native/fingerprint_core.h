#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define KBEVAL_HOST_DEVICE_HASH __host__ __device__ __forceinline__
#else
#define KBEVAL_HOST_DEVICE_HASH inline
#endif

namespace kbeval::native {

struct Word {
    std::uint32_t w[4];
};

/// Key word `lane` of position `index` (a Weyl sequence over the key's halves).
KBEVAL_HOST_DEVICE_HASH std::uint32_t position_key(std::uint64_t key, std::uint64_t index,
                                                   std::uint32_t lane) {
    const std::uint64_t mixed = (key + index * 0x9E3779B97F4A7C15ULL) ^ (key >> 29U);
    return static_cast<std::uint32_t>(mixed >> 32U) ^
           (static_cast<std::uint32_t>(mixed) + lane * 0x85EBCA6BU);
}

KBEVAL_HOST_DEVICE_HASH std::uint64_t hash_word(const Word& word, std::uint64_t index, std::uint64_t key) {
    const std::uint32_t a = word.w[0] + position_key(key, index, 0);
    const std::uint32_t b = word.w[1] + position_key(key, index, 1);
    const std::uint32_t c = word.w[2] + position_key(key, index, 2);
    const std::uint32_t d = word.w[3] + position_key(key, index, 3);
    return static_cast<std::uint64_t>(a) * b + static_cast<std::uint64_t>(c) * d;
}

/// Finaliser of MurmurHash3 (Appleby 2011) over the sum and the length.
inline std::uint64_t finish_hash(std::uint64_t sum, std::int64_t nbytes) {
    std::uint64_t h = sum ^ (static_cast<std::uint64_t>(nbytes) * 0xD6E8FEB86659FD93ULL);
    h = (h ^ (h >> 33U)) * 0xFF51AFD7ED558CCDULL;
    h = (h ^ (h >> 33U)) * 0xC4CEB9FE1A85EC53ULL;
    return h ^ (h >> 33U);
}

}  // namespace kbeval::native
