#pragma once

namespace kbeval {

/// A share with its exact two-sided 95 % bounds.
struct Proportion {
    int count = 0;
    int total = 0;
    double share = 0;  ///< count / total; 0 of nothing
    double low = 0;
    double high = 1;
};

/// Clopper and Pearson's interval (1934): at least 95 % coverage for any true share. Throws
/// std::invalid_argument unless 0 <= count <= total.
Proportion proportion(int count, int total);

}  // namespace kbeval
