#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace kbeval::native {

/// A CUDA call that failed.
class CudaError : public std::runtime_error {
  public:
    CudaError(cudaError_t code, const std::string& call)
        : std::runtime_error(call + ": " + cudaGetErrorName(code) + ": " + cudaGetErrorString(code)),
          code_(code) {}
    [[nodiscard]] int code() const { return code_; }

  private:
    int code_;
};

inline void check(cudaError_t code, const char* call) {
    if (code != cudaSuccess) {
        throw CudaError(code, call);
    }
}

}  // namespace kbeval::native

#define KBEVAL_CUDA(call) ::kbeval::native::check((call), #call)
