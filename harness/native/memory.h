#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace kbeval::native {

// Device memory by address, for Python to wrap. All throw CudaError.

std::uintptr_t cuda_alloc(int device, std::int64_t nbytes);
void cuda_free(int device, std::uintptr_t pointer);
/// 64 bytes by which another process opens the allocation that `pointer` begins.
std::string cuda_ipc_export(int device, std::uintptr_t pointer);
std::uintptr_t cuda_ipc_open(int device, const std::string& handle);
void cuda_ipc_close(int device, std::uintptr_t pointer);
/// Free and total bytes of the device.
std::pair<std::int64_t, std::int64_t> cuda_mem_info(int device);
void cuda_synchronize(int device);
/// Fills bytes with 0xFF, which is NaN in every float type; does not wait.
void poison_cuda(int device, std::uintptr_t pointer, std::int64_t nbytes, std::uintptr_t stream);

}  // namespace kbeval::native
