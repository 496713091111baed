#include <algorithm>
#include <vector>

#include "compare_core.h"
#include "cuda_error.h"
#include "device_buffer.h"

namespace kbeval::native {

namespace {

constexpr int threads = 256;
constexpr int blocks_per_sm = 8;
constexpr int vector_bytes = 16;

int grid_limit(int device) {
    int multiprocessors = 0;
    KBEVAL_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return multiprocessors * blocks_per_sm;
}

/// Merges the threads' partials into the first thread's.
__device__ void reduce_block(Partial& mine, Partial* shared) {
    shared[threadIdx.x] = mine;
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            merge(shared[threadIdx.x], shared[threadIdx.x + half]);
        }
    }
    mine = shared[threadIdx.x];
}

template <typename T>
struct alignas(vector_bytes) Vector {
    T values[vector_bytes / sizeof(T)];
};

/// `vectors` 16-byte pairs from the start, then single pairs up to `count`. Four vectors of each side are in
/// flight a thread, so that loads hide their latency.
template <typename T>
__global__ void __launch_bounds__(threads)
    compare_kernel(const T* expected, const T* actual, std::int64_t vectors, std::int64_t count, double atol,
                   double rtol, Partial* partials) {
    constexpr int width = vector_bytes / sizeof(T);
    // Raw storage: shared memory can't run the constructor of Partial.
    __shared__ alignas(Partial) unsigned char storage[threads * sizeof(Partial)];
    auto* const shared = reinterpret_cast<Partial*>(storage);
    typename AccumulatorOf<T>::type accumulator(atol, rtol);
    const auto* const left = reinterpret_cast<const Vector<T>*>(expected);
    const auto* const right = reinterpret_cast<const Vector<T>*>(actual);
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * threads;
    std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
    const auto take = [&](const Vector<T>& e, const Vector<T>& a, std::int64_t at) {
#pragma unroll
        for (int k = 0; k < width; ++k) {
            accumulator.add(value_of(e.values[k]), value_of(a.values[k]), at * width + k);
        }
    };
    for (; i + 3 * stride < vectors; i += 4 * stride) {
        Vector<T> e[4];
        Vector<T> a[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            e[k] = left[i + k * stride];
            a[k] = right[i + k * stride];
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            take(e[k], a[k], i + k * stride);
        }
    }
    for (; i < vectors; i += stride) {
        take(left[i], right[i], i);
    }
    for (std::int64_t k = vectors * width + static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
         k < count; k += stride) {
        accumulator.add(value_of(expected[k]), value_of(actual[k]), k);
    }
    Partial mine = accumulator.partial();
    reduce_block(mine, shared);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = mine;
    }
}

template <typename T>
double fetch(const T* values, std::int64_t index) {
    T value{};
    KBEVAL_CUDA(cudaMemcpy(&value, values + index, sizeof value, cudaMemcpyDeviceToHost));
    return static_cast<double>(value_of(value));
}

template <typename T>
CompareResult compare_typed(int device, const T* expected, const T* actual, std::int64_t count,
                            Tolerance tolerance, cudaStream_t stream) {
    if (count == 0) {
        return result_from({}, 0, 0, 0);
    }
    const int limit = grid_limit(device);
    auto* const partials =
        static_cast<Partial*>(scratch(device, static_cast<std::size_t>(limit) * sizeof(Partial)));
    const auto aligned = [](const void* p) {
        return reinterpret_cast<std::uintptr_t>(p) % vector_bytes == 0;
    };
    constexpr std::int64_t width = vector_bytes / sizeof(T);
    const std::int64_t vectors = aligned(expected) && aligned(actual) ? count / width : 0;
    const std::int64_t work = vectors > 0 ? vectors : count;
    const int grid =
        static_cast<int>(std::clamp((work + threads - 1) / threads, std::int64_t{1}, std::int64_t{limit}));
    compare_kernel<T><<<grid, threads, 0, stream>>>(expected, actual, vectors, count, tolerance.atol,
                                                    tolerance.rtol, partials);
    KBEVAL_CUDA(cudaGetLastError());
    std::vector<Partial> host(static_cast<std::size_t>(grid));
    KBEVAL_CUDA(cudaMemcpyAsync(host.data(), partials, host.size() * sizeof(Partial), cudaMemcpyDeviceToHost,
                                stream));
    KBEVAL_CUDA(cudaStreamSynchronize(stream));
    Partial total;
    for (const Partial& partial : host) {
        merge(total, partial);
    }
    return result_from(total, count, fetch(expected, total.worst_index), fetch(actual, total.worst_index));
}

}  // namespace

CompareResult compare_cuda(int device, const void* expected, const void* actual, std::int64_t numel,
                           const std::string& dtype, Tolerance tolerance, std::uintptr_t stream) {
    KBEVAL_CUDA(cudaSetDevice(device));
    return with_dtype(dtype, [&](auto value, int parts) {
        using T = decltype(value);
        return per_element(
            compare_typed(device, static_cast<const T*>(expected), static_cast<const T*>(actual),
                          numel * parts, tolerance, reinterpret_cast<cudaStream_t>(stream)),
            parts);
    });
}

}  // namespace kbeval::native
