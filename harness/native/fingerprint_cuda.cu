#include <algorithm>

#include "cuda_error.h"
#include "device_buffer.h"
#include "fingerprint.h"
#include "fingerprint_core.h"

namespace kbeval::native {

namespace {

constexpr int threads = 256;
constexpr int max_blocks = 2048;

__device__ Word load_tail(const unsigned char* bytes, int count) {
    unsigned char padded[16] = {};
    for (int k = 0; k < count; ++k) {
        padded[k] = bytes[k];
    }
    Word word{};
    for (int k = 0; k < 16; ++k) {
        word.w[k / 4] |= static_cast<std::uint32_t>(padded[k]) << (8 * (k % 4));
    }
    return word;
}

__device__ Word load_word(const uint4* words, std::int64_t index) {
    const uint4 v = words[index];
    return {{v.x, v.y, v.z, v.w}};
}

__global__ void __launch_bounds__(threads) fingerprint_kernel(const unsigned char* bytes, std::int64_t nbytes,
                                                              std::uint64_t key, std::uint64_t* total) {
    const auto* const words = reinterpret_cast<const uint4*>(bytes);
    const std::int64_t whole = nbytes / 16;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * threads;
    std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
    std::uint64_t sum = 0;
    for (; i + 3 * stride < whole; i += 4 * stride) {
        const Word a = load_word(words, i);
        const Word b = load_word(words, i + stride);
        const Word c = load_word(words, i + 2 * stride);
        const Word d = load_word(words, i + 3 * stride);
        sum += hash_word(a, i, key) + hash_word(b, i + stride, key) + hash_word(c, i + 2 * stride, key) +
               hash_word(d, i + 3 * stride, key);
    }
    for (; i < whole; i += stride) {
        sum += hash_word(load_word(words, i), i, key);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0 && nbytes % 16 != 0) {
        sum += hash_word(load_tail(bytes + 16 * whole, static_cast<int>(nbytes % 16)), whole, key);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xFFFFFFFFU, sum, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(sum));
    }
}

}  // namespace

std::uint64_t fingerprint_cuda(int device, const void* data, std::int64_t nbytes, std::uint64_t key,
                               std::uintptr_t stream) {
    KBEVAL_CUDA(cudaSetDevice(device));
    const auto cuda_stream = reinterpret_cast<cudaStream_t>(stream);
    auto* const total = static_cast<std::uint64_t*>(scratch(device, sizeof(std::uint64_t)));
    KBEVAL_CUDA(cudaMemsetAsync(total, 0, sizeof(std::uint64_t), cuda_stream));
    if (nbytes > 0) {
        const std::int64_t wanted = (nbytes / 16 + threads - 1) / threads;
        const int blocks = static_cast<int>(std::clamp(wanted, std::int64_t{1}, std::int64_t{max_blocks}));
        fingerprint_kernel<<<blocks, threads, 0, cuda_stream>>>(static_cast<const unsigned char*>(data),
                                                                nbytes, key, total);
        KBEVAL_CUDA(cudaGetLastError());
    }
    std::uint64_t sum = 0;
    KBEVAL_CUDA(cudaMemcpyAsync(&sum, total, sizeof sum, cudaMemcpyDeviceToHost, cuda_stream));
    KBEVAL_CUDA(cudaStreamSynchronize(cuda_stream));
    return finish_hash(sum, nbytes);
}

}  // namespace kbeval::native
