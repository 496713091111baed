#include "device/device.h"

#include <charconv>

#include "base/error.h"
#include "device/nvml.h"

namespace kbeval {

namespace {

// NVML's clocks event reasons (nvml.h).
constexpr std::uint64_t reason_idle = 0x1;
constexpr std::uint64_t reason_sw_power_cap = 0x4;
constexpr std::uint64_t reason_hw_slowdown = 0x8;
constexpr std::uint64_t reason_sw_thermal = 0x20;
constexpr std::uint64_t reason_hw_thermal = 0x40;
constexpr std::uint64_t reason_hw_power_brake = 0x80;

class CpuDevice final : public Device {
  public:
    explicit CpuDevice(std::string name) : name_(std::move(name)) {}
    [[nodiscard]] std::string name() const override { return name_; }
    [[nodiscard]] std::string kind() const override { return "cpu"; }
    [[nodiscard]] int ordinal() const override { return -1; }
    [[nodiscard]] std::string product() const override { return "cpu"; }
    [[nodiscard]] std::string driver() const override { return {}; }
    [[nodiscard]] std::optional<GpuState> sample() override { return std::nullopt; }

  private:
    std::string name_;
};

class CudaDevice final : public Device {
  public:
    CudaDevice(std::unique_ptr<Nvml> nvml, int ordinal, std::string product)
        : nvml_(std::move(nvml)), ordinal_(ordinal), product_(std::move(product)) {}
    [[nodiscard]] std::string name() const override { return "cuda:" + std::to_string(ordinal_); }
    [[nodiscard]] std::string kind() const override { return "cuda"; }
    [[nodiscard]] int ordinal() const override { return ordinal_; }
    [[nodiscard]] std::string product() const override { return product_; }
    [[nodiscard]] std::string driver() const override { return nvml_->driver_version(); }
    [[nodiscard]] std::optional<GpuState> sample() override {
        return nvml_->sample(static_cast<unsigned>(ordinal_));
    }

  private:
    std::unique_ptr<Nvml> nvml_;
    int ordinal_;
    std::string product_;
};

int parse_ordinal(const std::string& name) {
    if (name == "cuda") {
        return 0;
    }
    int ordinal = -1;
    if (name.starts_with("cuda:")) {
        const char* const end = name.data() + name.size();
        const auto [rest, code] = std::from_chars(name.data() + 5, end, ordinal);
        if (code == std::errc{} && rest == end && ordinal >= 0) {
            return ordinal;
        }
    }
    throw Error(ErrorKind::usage, "--device " + name + ": is neither cpu nor cuda:N");
}

}  // namespace

bool GpuState::spoils() const {
    return (throttle_reasons &
            (reason_hw_slowdown | reason_sw_thermal | reason_hw_thermal | reason_hw_power_brake)) != 0;
}

bool GpuState::idle_or_at_power_cap() const {
    return (throttle_reasons & (reason_idle | reason_sw_power_cap)) != 0;
}

std::vector<std::string> list_gpus() {
    try {
        return Nvml().gpu_names();
    } catch (const std::runtime_error&) {
        return {};
    }
}

std::string why_no_gpu() {
    try {
        return Nvml().gpu_names().empty() ? "the NVIDIA driver sees no GPU" : "";
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

std::unique_ptr<Device> open_device(const std::string& name) {
    if (name == "cpu" || name.starts_with("cpu:") || (name.empty() && !why_no_gpu().empty())) {
        if (name.starts_with("cpu:")) {
            (void)parse_ordinal("cuda:" + name.substr(4));
        }
        return std::make_unique<CpuDevice>(name.empty() ? "cpu" : name);
    }
    const int ordinal = name.empty() ? 0 : parse_ordinal(name);
    if (const std::string reason = why_no_gpu(); !reason.empty()) {
        throw infrastructure_error(
            "--device " + name + ": " + reason,
            "install the NVIDIA driver, or use --device cpu (small sizes, for trying things out)");
    }
    auto nvml = std::make_unique<Nvml>();
    const auto names = nvml->gpu_names();
    if (static_cast<std::size_t>(ordinal) >= names.size()) {
        throw infrastructure_error("--device " + name + ": this machine has " + std::to_string(names.size()) +
                                   " GPU(s), numbered from 0");
    }
    return std::make_unique<CudaDevice>(std::move(nvml), ordinal, names[static_cast<std::size_t>(ordinal)]);
}

}  // namespace kbeval
