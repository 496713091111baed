#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kbeval::native {

/// Launches of one kernel.
struct KernelTotal {
    std::string name;  ///< mangled
    std::int64_t count = 0;
    std::int64_t total_ns = 0;
    int streams = 0;                  ///< distinct streams it ran on
    std::int64_t graph_launches = 0;  ///< of the launches, how many were nodes of CUDA graphs
};

/// Records every kernel that runs on the device between start and stop, by CUPTI's activity interface: side
/// streams and CUDA graphs included. One recorder at a time in a process; libcupti is loaded at the first
/// start. All throw std::runtime_error naming the CUPTI call.
class KernelRecorder {
  public:
    explicit KernelRecorder(int device);
    void start();
    /// Waits for the device and returns what ran, by name.
    std::vector<KernelTotal> stop();
    /// Detaches CUPTI, so that later timing is undisturbed.
    void finalize();
    /// Records that CUPTI had no room for.
    [[nodiscard]] std::int64_t dropped() const { return dropped_; }

  private:
    int device_;
    std::int64_t dropped_ = 0;
};

}  // namespace kbeval::native
