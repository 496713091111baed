#include "device_buffer.h"

#include <map>
#include <utility>

namespace kbeval::native {

void* scratch(int device, std::size_t bytes) {
    static std::map<int, std::pair<void*, std::size_t>> buffers;
    auto& [data, size] = buffers[device];
    if (size < bytes) {
        KBEVAL_CUDA(cudaFree(data));
        data = nullptr;
        size = 0;
        KBEVAL_CUDA(cudaMalloc(&data, bytes));
        size = bytes;
    }
    return data;
}

}  // namespace kbeval::native
