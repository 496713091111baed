#include "device/nvml.h"

#include <dlfcn.h>

#include <array>
#include <stdexcept>

namespace kbeval {

namespace {
// The few declarations of nvml.h that are used, so that building needs no CUDA toolkit. NVML keeps its ABI
// stable.
using nvmlDevice = void*;
constexpr int nvml_success = 0;
constexpr int nvml_insufficient_size = 7;
constexpr unsigned clock_sm = 1;
constexpr unsigned clock_memory = 2;

struct NvmlProcessInfo {
    unsigned pid;
    unsigned long long used_memory;
    unsigned gpu_instance;
    unsigned compute_instance;
};
}  // namespace

struct Nvml::Library {
    struct Close {
        void operator()(void* handle) const { ::dlclose(handle); }
    };
    std::unique_ptr<void, Close> handle;
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*count)(unsigned*) = nullptr;
    int (*by_index)(unsigned, nvmlDevice*) = nullptr;
    int (*name)(nvmlDevice, char*, unsigned) = nullptr;
    int (*driver)(char*, unsigned) = nullptr;
    int (*clock)(nvmlDevice, unsigned, unsigned*) = nullptr;
    int (*temperature)(nvmlDevice, unsigned, unsigned*) = nullptr;
    int (*power)(nvmlDevice, unsigned*) = nullptr;
    int (*reasons)(nvmlDevice, unsigned long long*) = nullptr;
    int (*processes)(nvmlDevice, unsigned*, NvmlProcessInfo*) = nullptr;

    template <typename F>
    void load(F& function, const char* symbol) const {
        function = reinterpret_cast<F>(::dlsym(handle.get(), symbol));
        if (function == nullptr) {
            throw std::runtime_error(std::string("libnvidia-ml.so.1 has no ") + symbol);
        }
    }
};

Nvml::Nvml() : library_(std::make_unique<Library>()) {
    Library& l = *library_;
    l.handle.reset(::dlopen("libnvidia-ml.so.1", RTLD_NOW));
    if (!l.handle) {
        throw std::runtime_error("no NVIDIA driver: libnvidia-ml.so.1 is not on this machine");
    }
    l.load(l.init, "nvmlInit_v2");
    l.load(l.shutdown, "nvmlShutdown");
    l.load(l.count, "nvmlDeviceGetCount_v2");
    l.load(l.by_index, "nvmlDeviceGetHandleByIndex_v2");
    l.load(l.name, "nvmlDeviceGetName");
    l.load(l.driver, "nvmlSystemGetDriverVersion");
    l.load(l.clock, "nvmlDeviceGetClockInfo");
    l.load(l.temperature, "nvmlDeviceGetTemperature");
    l.load(l.power, "nvmlDeviceGetPowerUsage");
    l.load(l.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    l.load(l.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    if (const int code = l.init(); code != nvml_success) {
        l.shutdown = nullptr;
        throw std::runtime_error("the NVIDIA driver does not answer (nvmlInit: error " +
                                 std::to_string(code) + ")");
    }
}

Nvml::~Nvml() {
    if (library_->shutdown != nullptr) {
        library_->shutdown();
    }
}

std::vector<std::string> Nvml::gpu_names() const {
    unsigned count = 0;
    library_->count(&count);
    std::vector<std::string> names;
    for (unsigned i = 0; i < count; ++i) {
        nvmlDevice device = nullptr;
        std::array<char, 128> text{};
        if (library_->by_index(i, &device) == nvml_success) {
            library_->name(device, text.data(), static_cast<unsigned>(text.size()));
        }
        names.emplace_back(text.data());
    }
    return names;
}

std::string Nvml::driver_version() const {
    std::array<char, 96> text{};
    library_->driver(text.data(), static_cast<unsigned>(text.size()));
    return text.data();
}

GpuState Nvml::sample(unsigned index) const {
    GpuState state;
    nvmlDevice device = nullptr;
    if (library_->by_index(index, &device) != nvml_success) {
        return state;
    }
    unsigned milliwatts = 0;
    unsigned long long reasons = 0;
    library_->clock(device, clock_sm, &state.sm_mhz);
    library_->clock(device, clock_memory, &state.memory_mhz);
    library_->temperature(device, 0, &state.temperature_c);
    library_->power(device, &milliwatts);
    library_->reasons(device, &reasons);
    state.power_w = milliwatts / 1000;
    state.throttle_reasons = reasons;
    std::array<NvmlProcessInfo, 64> processes{};
    unsigned count = static_cast<unsigned>(processes.size());
    const int code = library_->processes(device, &count, processes.data());
    if (code == nvml_success || code == nvml_insufficient_size) {
        state.compute_processes = count;
    }
    return state;
}

}  // namespace kbeval
