#pragma once

#include <cuda_runtime_api.h>

namespace kbeval::native {

/// Keeps every thread slot of the device busy for `microseconds`, on `stream`. Whatever is launched
/// meanwhile, on any stream, waits: the host gets ahead of the device, and nothing can slip in front of the
/// event that follows. Does not wait. Throws CudaError.
void hold_device(int device, double microseconds, cudaStream_t stream);

/// One thread that spins for `microseconds` on `stream`, to a few nanoseconds: a handicap of known length.
/// Counts SM cycles, whose rate is measured once a process. Does not wait for the spinning. Throws CudaError.
void spin_on_device(int device, double microseconds, cudaStream_t stream);

}  // namespace kbeval::native
