#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kbeval {

/// State of a GPU at one moment, as NVML reports it.
struct GpuState {
    unsigned sm_mhz = 0;
    unsigned memory_mhz = 0;
    unsigned temperature_c = 0;
    unsigned power_w = 0;
    std::uint64_t throttle_reasons = 0;  ///< NVML's clocks event reasons, a bit mask
    unsigned compute_processes = 0;      ///< processes with a context on it

    /// Whether something outside of the measurement slowed the GPU: hardware or thermal slowdown, power
    /// brake. The power cap is no reason: heavy kernels run at it for as long as they run.
    [[nodiscard]] bool spoils() const;
    /// Whether the clock may be low for a good reason: the power cap, or nothing to do just now.
    [[nodiscard]] bool idle_or_at_power_cap() const;
};

/// Where a candidate is evaluated.
class Device {
  public:
    Device() = default;
    virtual ~Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    [[nodiscard]] virtual std::string name() const = 0;          ///< cuda:0 or cpu
    [[nodiscard]] virtual std::string kind() const = 0;          ///< cuda or cpu
    [[nodiscard]] virtual int ordinal() const = 0;               ///< -1 for the CPU
    [[nodiscard]] virtual std::string product() const = 0;       ///< NVIDIA H200; for the CPU "cpu"
    [[nodiscard]] virtual std::string driver() const = 0;        ///< version; empty for the CPU
    [[nodiscard]] virtual std::optional<GpuState> sample() = 0;  ///< nothing for the CPU
};

/// GPUs that NVML sees, by name, in PCI order. Empty where there is no driver.
std::vector<std::string> list_gpus();

/// Why there is no GPU, in words a user can act on; empty where there is one.
std::string why_no_gpu();

/// `cuda:N`, `cuda` (the first) or `cpu`; empty chooses the first GPU, or the CPU where there is none.
/// `cpu:N` is the CPU again, as one of several devices that work side by side. Throws a usage error for
/// anything else, an infrastructure error for a GPU that isn't there.
std::unique_ptr<Device> open_device(const std::string& name);

}  // namespace kbeval
