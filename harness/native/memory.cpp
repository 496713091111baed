#include "memory.h"

#include <cstring>

#include "cuda_error.h"

namespace kbeval::native {

std::uintptr_t cuda_alloc(int device, std::int64_t nbytes) {
    KBEVAL_CUDA(cudaSetDevice(device));
    void* pointer = nullptr;
    KBEVAL_CUDA(cudaMalloc(&pointer, static_cast<std::size_t>(nbytes)));
    return reinterpret_cast<std::uintptr_t>(pointer);
}

void cuda_free(int device, std::uintptr_t pointer) {
    KBEVAL_CUDA(cudaSetDevice(device));
    KBEVAL_CUDA(cudaFree(reinterpret_cast<void*>(pointer)));
}

std::string cuda_ipc_export(int device, std::uintptr_t pointer) {
    KBEVAL_CUDA(cudaSetDevice(device));
    cudaIpcMemHandle_t handle{};
    KBEVAL_CUDA(cudaIpcGetMemHandle(&handle, reinterpret_cast<void*>(pointer)));
    return {handle.reserved, sizeof handle.reserved};
}

std::uintptr_t cuda_ipc_open(int device, const std::string& handle) {
    KBEVAL_CUDA(cudaSetDevice(device));
    cudaIpcMemHandle_t raw{};
    if (handle.size() != sizeof raw.reserved) {
        throw std::invalid_argument("a CUDA IPC handle has " + std::to_string(sizeof raw.reserved) +
                                    " bytes");
    }
    std::memcpy(raw.reserved, handle.data(), handle.size());
    void* pointer = nullptr;
    KBEVAL_CUDA(cudaIpcOpenMemHandle(&pointer, raw, cudaIpcMemLazyEnablePeerAccess));
    return reinterpret_cast<std::uintptr_t>(pointer);
}

void cuda_ipc_close(int device, std::uintptr_t pointer) {
    KBEVAL_CUDA(cudaSetDevice(device));
    KBEVAL_CUDA(cudaIpcCloseMemHandle(reinterpret_cast<void*>(pointer)));
}

std::pair<std::int64_t, std::int64_t> cuda_mem_info(int device) {
    KBEVAL_CUDA(cudaSetDevice(device));
    std::size_t free = 0;
    std::size_t total = 0;
    KBEVAL_CUDA(cudaMemGetInfo(&free, &total));
    return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

void cuda_synchronize(int device) {
    KBEVAL_CUDA(cudaSetDevice(device));
    KBEVAL_CUDA(cudaDeviceSynchronize());
}

void poison_cuda(int device, std::uintptr_t pointer, std::int64_t nbytes, std::uintptr_t stream) {
    KBEVAL_CUDA(cudaSetDevice(device));
    KBEVAL_CUDA(cudaMemsetAsync(reinterpret_cast<void*>(pointer), 0xFF, static_cast<std::size_t>(nbytes),
                                reinterpret_cast<cudaStream_t>(stream)));
}

}  // namespace kbeval::native
