#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"

namespace kbeval {

/// NVIDIA's management library, loaded at run time so that kbeval starts where there is no driver.
class Nvml {
  public:
    /// Throws std::runtime_error saying what is missing.
    Nvml();
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    [[nodiscard]] std::vector<std::string> gpu_names() const;
    [[nodiscard]] std::string driver_version() const;
    [[nodiscard]] GpuState sample(unsigned index) const;

  private:
    struct Library;
    std::unique_ptr<Library> library_;
};

}  // namespace kbeval
