#pragma once

// What one pair contributes, shared by the CPU and the CUDA comparison so that both decide alike.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "compare.h"

#ifdef __CUDACC__
#define KBEVAL_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define KBEVAL_HOST_DEVICE inline
#endif

namespace kbeval::native {

/// 16-bit floats by their bits, so that host code needs no CUDA headers.
struct Half {
    std::uint16_t bits;
};
struct Bfloat16 {
    std::uint16_t bits;
};

KBEVAL_HOST_DEVICE float bits_to_float(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __uint_as_float(bits);
#else
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
#endif
}

KBEVAL_HOST_DEVICE float widen(float v) {
    return v;
}
KBEVAL_HOST_DEVICE double widen(double v) {
    return v;
}
KBEVAL_HOST_DEVICE float widen(Bfloat16 v) {
    return bits_to_float(static_cast<std::uint32_t>(v.bits) << 16U);
}
KBEVAL_HOST_DEVICE float widen(Half v) {
    const std::uint32_t sign = (v.bits & 0x8000U) << 16U;
    const std::uint32_t exponent = (v.bits >> 10U) & 0x1FU;
    const std::uint32_t fraction = v.bits & 0x3FFU;
    if (exponent == 0x1FU) {
        return bits_to_float(sign | 0x7F800000U | (fraction << 13U));
    }
    if (exponent != 0) {
        return bits_to_float(sign | ((exponent + 112U) << 23U) | (fraction << 13U));
    }
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
}

/// Running result of one thread. `violation` is |e - a| - tolerance of the worst pair so far.
struct Partial {
    std::int64_t mismatches = 0;
    std::int64_t nonfinite = 0;
    std::int64_t worst_index = std::numeric_limits<std::int64_t>::max();
    double worst_violation = -std::numeric_limits<double>::infinity();
    double max_abs = 0;
    double max_rel = 0;
};

KBEVAL_HOST_DEVICE void merge(Partial& into, const Partial& other) {
    into.mismatches += other.mismatches;
    into.nonfinite += other.nonfinite;
    into.max_abs = other.max_abs > into.max_abs ? other.max_abs : into.max_abs;
    into.max_rel = other.max_rel > into.max_rel ? other.max_rel : into.max_rel;
    if (other.worst_violation > into.worst_violation ||
        (other.worst_violation == into.worst_violation && other.worst_index < into.worst_index)) {
        into.worst_violation = other.worst_violation;
        into.worst_index = other.worst_index;
    }
}

/// Accumulates pairs in the arithmetic of F (float or double); indices must come in ascending order.
///
/// The common pair, well within tolerance and no new extreme, is told by a few instructions; every other
/// takes the slow path. Pairs are ranked against a tolerance smaller by 1e-5, in F; whether one is beyond the
/// tolerance is decided in double.
template <typename F>
struct FloatAccumulator {
    F atol_low;
    F rtol_low;
    double atol_exact;
    double rtol_exact;
    F max_abs = 0;
    F max_rel = 0;
    F worst_violation = -std::numeric_limits<F>::infinity();
    std::int64_t worst_index = std::numeric_limits<std::int64_t>::max();
    std::int64_t mismatches = 0;
    std::int64_t nonfinite = 0;

    KBEVAL_HOST_DEVICE FloatAccumulator(double absolute, double relative)
        : atol_low(static_cast<F>(absolute * (1 - 1e-5))),
          rtol_low(static_cast<F>(relative * (1 - 1e-5))),
          atol_exact(absolute),
          rtol_exact(relative) {}

    KBEVAL_HOST_DEVICE void add(F e, F a, std::int64_t index) {
        const F difference = e - a;
        const F distance = difference < 0 ? -difference : difference;
        const F size = e < 0 ? -e : e;
        const F violation = distance - (atol_low + rtol_low * size);
        const bool common = distance <= max_abs && violation <= worst_violation && violation <= 0 &&
                            distance <= max_rel * size;  // false for NaN
        if (!common) {
            add_uncommon(e, a, index, distance, size, violation);
        }
    }

    KBEVAL_HOST_DEVICE void add_uncommon(F e, F a, std::int64_t index, F distance, F size, F violation) {
        if (!(distance <= std::numeric_limits<F>::max())) {  // NaN or infinite: not a pair of finite numbers
            add_special(e, a, index);
            return;
        }
        if (violation > 0) {
            const double exact = static_cast<double>(e) - static_cast<double>(a);
            const double magnitude = exact < 0 ? -exact : exact;
            mismatches += magnitude > atol_exact + rtol_exact * static_cast<double>(size) ? 1 : 0;
        }
        max_abs = distance > max_abs ? distance : max_abs;
        if (size > 0) {
            const F relative = distance / size;
            max_rel = relative > max_rel ? relative : max_rel;
        }
        if (violation > worst_violation) {
            worst_violation = violation;
            worst_index = index;
        }
    }

    /// A pair that is not finite on both sides, or whose difference overflows.
    KBEVAL_HOST_DEVICE void add_special(F e, F a, std::int64_t index) {
        const bool same = e == a || (e != e && a != a);
        const F limit = std::numeric_limits<F>::max();
        const bool finite = e >= -limit && e <= limit && a >= -limit && a <= limit;
        if (same) {
            const F none = -atol_low;
            if (none > worst_violation) {
                worst_violation = none;
                worst_index = index;
            }
            return;
        }
        ++mismatches;
        nonfinite += finite ? 0 : 1;
        if (finite) {
            max_abs = limit;
        }
        if (worst_violation < std::numeric_limits<F>::infinity()) {
            worst_violation = std::numeric_limits<F>::infinity();
            worst_index = index;
        }
    }

    [[nodiscard]] KBEVAL_HOST_DEVICE Partial partial() const {
        Partial p;
        p.mismatches = mismatches;
        p.nonfinite = nonfinite;
        p.worst_index = worst_index;
        p.worst_violation = static_cast<double>(worst_violation);
        p.max_abs = static_cast<double>(max_abs);
        p.max_rel = static_cast<double>(max_rel);
        return p;
    }
};

/// Integers and booleans: equal or not; distances in double.
struct ExactAccumulator {
    Partial state;

    KBEVAL_HOST_DEVICE ExactAccumulator(double /*absolute*/, double /*relative*/) {}

    template <typename T>
    KBEVAL_HOST_DEVICE void add(T e, T a, std::int64_t index) {
        const double expected = static_cast<double>(e);
        const double signed_distance = expected - static_cast<double>(a);
        double distance = signed_distance < 0 ? -signed_distance : signed_distance;
        if (e != a) {
            ++state.mismatches;
            distance = distance > 0 ? distance : 1;  // 64-bit integers that double can't tell apart
        }
        state.max_abs = distance > state.max_abs ? distance : state.max_abs;
        const double size = expected < 0 ? -expected : expected;
        if (size > 0 && distance / size > state.max_rel) {
            state.max_rel = distance / size;
        }
        if (distance > state.worst_violation) {
            state.worst_violation = distance;
            state.worst_index = index;
        }
    }

    [[nodiscard]] KBEVAL_HOST_DEVICE Partial partial() const { return state; }
};

template <typename T>
struct AccumulatorOf {
    using type = ExactAccumulator;
};
template <>
struct AccumulatorOf<float> {
    using type = FloatAccumulator<float>;
};
template <>
struct AccumulatorOf<double> {
    using type = FloatAccumulator<double>;
};
template <>
struct AccumulatorOf<Half> {
    using type = FloatAccumulator<float>;
};
template <>
struct AccumulatorOf<Bfloat16> {
    using type = FloatAccumulator<float>;
};

template <typename T>
KBEVAL_HOST_DEVICE auto value_of(T v) {
    if constexpr (std::is_integral_v<T>) {
        return v;
    } else {
        return widen(v);
    }
}

/// The result of one real-valued comparison, from the merged partial and the two values at the worst place.
inline CompareResult result_from(const Partial& p, std::int64_t numel, double expected, double actual) {
    CompareResult r;
    r.numel = numel;
    r.mismatches = p.mismatches;
    r.nonfinite_mismatches = p.nonfinite;
    r.max_abs = p.max_abs;
    r.max_rel = p.max_rel;
    r.worst_index = numel > 0 ? p.worst_index : -1;
    r.worst_expected = expected;
    r.worst_actual = actual;
    return r;
}

/// Calls `visit` with a value of the element type that `dtype` names, and how many of them one element has (2
/// for complex). Throws std::invalid_argument for any other name.
template <typename Visit>
auto with_dtype(const std::string& dtype, Visit&& visit) {
    if (dtype == "float32")
        return visit(float{}, 1);
    if (dtype == "float64")
        return visit(double{}, 1);
    if (dtype == "float16")
        return visit(Half{}, 1);
    if (dtype == "bfloat16")
        return visit(Bfloat16{}, 1);
    if (dtype == "int64")
        return visit(std::int64_t{}, 1);
    if (dtype == "int32")
        return visit(std::int32_t{}, 1);
    if (dtype == "int16")
        return visit(std::int16_t{}, 1);
    if (dtype == "int8")
        return visit(std::int8_t{}, 1);
    if (dtype == "uint8" || dtype == "bool")
        return visit(std::uint8_t{}, 1);
    if (dtype == "complex64")
        return visit(float{}, 2);
    if (dtype == "complex128")
        return visit(double{}, 2);
    throw std::invalid_argument("tensors of dtype " + dtype + " can't be compared");
}

/// Counts parts back into elements for complex dtypes.
inline CompareResult per_element(CompareResult r, int parts) {
    r.numel /= parts;
    r.worst_index = r.worst_index < 0 ? -1 : r.worst_index / parts;
    return r;
}

}  // namespace kbeval::native
