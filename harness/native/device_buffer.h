#pragma once

#include <cstddef>

#include "cuda_error.h"

namespace kbeval::native {

/// Device memory that is freed with its owner.
class DeviceBuffer {
  public:
    DeviceBuffer() = default;
    DeviceBuffer(int device, std::size_t bytes) : bytes_(bytes) {
        KBEVAL_CUDA(cudaSetDevice(device));
        KBEVAL_CUDA(cudaMalloc(&data_, bytes));
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    DeviceBuffer(DeviceBuffer&& other) noexcept : data_(other.data_), bytes_(other.bytes_) {
        other.data_ = nullptr;
    }
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        if (this != &other) {
            cudaFree(data_);
            data_ = other.data_;
            bytes_ = other.bytes_;
            other.data_ = nullptr;
        }
        return *this;
    }
    ~DeviceBuffer() { cudaFree(data_); }

    [[nodiscard]] void* data() const { return data_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// A buffer of at least `bytes` bytes on the device, kept for the life of the process and shared by whoever
/// asks: its content lasts until the next call. Never freed, since the driver may be gone when statics are
/// destroyed.
void* scratch(int device, std::size_t bytes);

}  // namespace kbeval::native
