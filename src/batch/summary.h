#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "store/runs.h"

namespace kbeval {

/// Rate and time left of a batch, from when its verdicts came.
class Pace {
  public:
    /// `left` jobs at time 0, in seconds.
    explicit Pace(std::size_t left) : left_(left) {}
    /// One more job is done at `now`.
    void done(double now);
    /// `12/250  0.52/s, 7 m 38 s left`; `before` jobs were done before time 0.
    [[nodiscard]] std::string text(std::size_t before) const;

  private:
    std::size_t left_;
    std::size_t done_ = 0;
    double now_ = 0;
};

/// `7 m 38 s`, `2 h 05 m`, `41 s`.
std::string duration_text(double seconds);

/// The table at the end of a batch: evaluations by arm and reader (one line where there are none), each with
/// its statuses, successes, mean score and geometric mean of the speedups of correct ones. infra_error counts
/// nowhere but in its own column.
std::string summary_table(const std::vector<JudgedJob>& judged);

}  // namespace kbeval
