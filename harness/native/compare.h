#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace kbeval::native {

/// How two buffers of the same dtype agree.
///
/// A pair (e, a) of expected and actual value matches when both are NaN, when both are the same infinity, or
/// when both are finite and |e - a| <= atol + rtol * |e| (as numpy.isclose with `e` as the reference).
/// Integers and booleans match when they are equal. Complex numbers are compared as pairs of real ones.
struct CompareResult {
    std::int64_t numel = 0;       ///< elements, real and imaginary parts counted as one
    std::int64_t mismatches = 0;  ///< pairs that don't match
    std::int64_t nonfinite_mismatches =
        0;                          ///< of them: NaN or infinite on one side, or infinities of other sign
    double max_abs = 0;             ///< largest |e - a| over finite pairs
    double max_rel = 0;             ///< largest |e - a| / |e| over finite pairs with e != 0
    std::int64_t worst_index = -1;  ///< where |e - a| - (atol + rtol |e|) is largest; a non-finite mismatch
                                    ///< outranks all; the lowest index wins a tie; -1 when empty
    double worst_expected = 0;
    double worst_actual = 0;
};

struct Tolerance {
    double atol = 0;
    double rtol = 0;
};

/// Bytes of one element; throws std::invalid_argument for a dtype that can't be compared.
std::int64_t dtype_bytes(const std::string& dtype);

/// Compares two host buffers in one pass without temporaries.
CompareResult compare_cpu(const void* expected, const void* actual, std::int64_t numel,
                          const std::string& dtype, Tolerance tolerance);

/// Same on a CUDA device, in one kernel on `stream`; waits for it. Throws CudaError.
CompareResult compare_cuda(int device, const void* expected, const void* actual, std::int64_t numel,
                           const std::string& dtype, Tolerance tolerance, std::uintptr_t stream);

}  // namespace kbeval::native
