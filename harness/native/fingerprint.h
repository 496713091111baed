#pragma once

#include <cstdint>

namespace kbeval::native {

/// Keyed 64-bit hash of `nbytes` bytes in one read pass; the same value on the CPU and on CUDA.
///
/// Sum over 16-byte words of the NH products (Black, Halevi, Krawczyk, Krovetz and Rogaway 1999, UMAC,
/// section 3) with key words that depend on the position, so that order counts. Without the key, a buffer
/// with the same value can't be aimed for. A last word that is not full counts as if followed by zeros; the
/// length is mixed in.
std::uint64_t fingerprint_cpu(const void* data, std::int64_t nbytes, std::uint64_t key);

/// Same on a CUDA device; `data` must be aligned to 16 bytes. Waits for `stream`. Throws CudaError.
std::uint64_t fingerprint_cuda(int device, const void* data, std::int64_t nbytes, std::uint64_t key,
                               std::uintptr_t stream);

}  // namespace kbeval::native
