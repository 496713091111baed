#pragma once

#include <cstddef>
#include <vector>

namespace kbeval {

/// Which CPU cores do what in a batch. Empty: whatever the system likes.
struct CoreShares {
    std::vector<std::vector<int>> workers;  ///< one share for each
    std::vector<int> builders;
};

/// Divides `cores` so that builds keep off the cores of what is timed: a quarter of them (at least one)
/// builds, the rest is divided among the workers in neighbouring pieces. With fewer than three cores a worker
/// nothing is pinned.
CoreShares share_cores(const std::vector<int>& cores, std::size_t workers);

/// Cores that this process may use.
std::vector<int> usable_cores();

/// Pins the calling thread, and what it will start; nothing where `cores` is empty. Failure is no error.
void pin_thread(const std::vector<int>& cores);

}  // namespace kbeval
