#pragma once

#include <cstddef>

#include "figures/row.h"

namespace kbeval {

/// The `count` clean timed runs with the least speedup, least first.
Rows least_speedups(const Rows& rows, std::size_t count);

}  // namespace kbeval
