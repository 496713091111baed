#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

namespace kbeval {

/// 32 random hex digits: ids of evaluations and runs.
inline std::string random_id() {
    std::random_device device;
    std::string id;
    for (int i = 0; i < 4; ++i) {
        std::array<char, 16> word{};
        std::snprintf(word.data(), word.size(), "%08x", static_cast<unsigned>(device()));
        id += word.data();
    }
    return id;
}

/// 64 random bits: what seeds derive from where the user gave none.
inline std::uint64_t random_seed() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

}  // namespace kbeval
