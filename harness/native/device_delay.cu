#include <cstdint>
#include <map>

#include "cuda_error.h"
#include "device_buffer.h"
#include "device_delay.h"

namespace kbeval::native {

namespace {

constexpr int hold_threads = 1024;
constexpr std::uint64_t calibration_ns = 2'000'000;
constexpr unsigned long long longest_ns =
    100'000'000;  ///< whatever is asked for, a device is not held longer

__device__ std::uint64_t global_ns() {
    std::uint64_t ns = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

__global__ void __launch_bounds__(hold_threads) hold_kernel(std::uint64_t ns) {
    const std::uint64_t begin = global_ns();
    for (std::uint64_t spent = 0; spent < ns; spent = global_ns() - begin) {
        if (ns - spent > 4000) {
            __nanosleep(1000);  // resident all the same, and the GPU stays cool
        }
    }
}

__global__ void spin_kernel(std::int64_t cycles) {
    const std::int64_t begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

__global__ void count_cycles_kernel(std::uint64_t ns, std::int64_t* cycles) {
    const std::uint64_t begin_ns = global_ns();
    const std::int64_t begin = clock64();
    while (global_ns() - begin_ns < ns) {
    }
    *cycles = clock64() - begin;
}

int resident_hold_blocks(int device) {
    static std::map<int, int> known;
    int& blocks = known[device];
    if (blocks == 0) {
        int each = 0;
        int processors = 0;
        KBEVAL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, hold_kernel, hold_threads, 0));
        KBEVAL_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
        blocks = each * processors;
    }
    return blocks;
}

double cycles_a_microsecond(int device, cudaStream_t stream) {
    static std::map<int, double> known;
    double& rate = known[device];
    if (rate == 0) {
        const DeviceBuffer counted(device, sizeof(std::int64_t));
        auto* const target = static_cast<std::int64_t*>(counted.data());
        std::int64_t cycles = 0;
        for (int i = 0; i < 2; ++i) {  // the first one wakes the clocks
            count_cycles_kernel<<<1, 1, 0, stream>>>(calibration_ns, target);
            KBEVAL_CUDA(cudaGetLastError());
            KBEVAL_CUDA(cudaMemcpyAsync(&cycles, target, sizeof cycles, cudaMemcpyDeviceToHost, stream));
            KBEVAL_CUDA(cudaStreamSynchronize(stream));
        }
        rate = static_cast<double>(cycles) / (static_cast<double>(calibration_ns) / 1000);
    }
    return rate;
}

std::uint64_t nanoseconds(double microseconds) {
    const double ns = microseconds * 1000;
    return ns >= static_cast<double>(longest_ns) ? longest_ns : static_cast<std::uint64_t>(ns);
}

}  // namespace

void hold_device(int device, double microseconds, cudaStream_t stream) {
    if (microseconds > 0) {
        hold_kernel<<<resident_hold_blocks(device), hold_threads, 0, stream>>>(nanoseconds(microseconds));
        KBEVAL_CUDA(cudaGetLastError());
    }
}

void spin_on_device(int device, double microseconds, cudaStream_t stream) {
    if (microseconds > 0) {
        const double cycles =
            static_cast<double>(nanoseconds(microseconds)) / 1000 * cycles_a_microsecond(device, stream);
        spin_kernel<<<1, 1, 0, stream>>>(static_cast<std::int64_t>(cycles));
        KBEVAL_CUDA(cudaGetLastError());
    }
}

}  // namespace kbeval::native
