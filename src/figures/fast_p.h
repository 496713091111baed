#pragma once

#include <cstddef>
#include <vector>

#include "figures/row.h"
#include "stats/bootstrap.h"

namespace kbeval {

/// fast_p at one threshold (KernelBench, Ouyang et al. 2025, section 3.3: the share of problems whose kernel
/// is both correct and more than p times as fast as the reference; fast_0 is the share that is correct).
///
/// A problem with several evaluations counts with the share of them that pass, so each problem weighs the
/// same; with one evaluation a problem this is the published definition.
struct FastP {
    double p = 0;
    Interval sure;   ///< correct, no flag, speedup_lo95 > p; Wilson interval over problems
    double raw = 0;  ///< correct, speedup > p; neither interval nor flags looked at: the published definition
    double best = 0;  ///< share of problems with at least one evaluation that passes `sure`
};

/// The thresholds that tables show.
inline constexpr double standard_p[] = {0, 1, 1.5, 2, 4};

/// Thresholds of a curve: from 0 to 10, closer together where most kernels are.
const std::vector<double>& curve_p();

/// fast_p at each threshold over the rows that count. All zero where none does.
std::vector<FastP> fast_p(const Rows& rows, const std::vector<double>& thresholds);

}  // namespace kbeval
