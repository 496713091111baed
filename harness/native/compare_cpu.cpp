#include "compare_core.h"

namespace kbeval::native {

std::int64_t dtype_bytes(const std::string& dtype) {
    return with_dtype(dtype,
                      [](auto value, int parts) { return static_cast<std::int64_t>(sizeof(value)) * parts; });
}

namespace {

template <typename T>
CompareResult compare_typed(const T* expected, const T* actual, std::int64_t count, Tolerance tolerance) {
    typename AccumulatorOf<T>::type accumulator(tolerance.atol, tolerance.rtol);
    for (std::int64_t i = 0; i < count; ++i) {
        accumulator.add(value_of(expected[i]), value_of(actual[i]), i);
    }
    const Partial partial = accumulator.partial();
    if (count == 0) {
        return result_from(partial, 0, 0, 0);
    }
    return result_from(partial, count, static_cast<double>(value_of(expected[partial.worst_index])),
                       static_cast<double>(value_of(actual[partial.worst_index])));
}

}  // namespace

CompareResult compare_cpu(const void* expected, const void* actual, std::int64_t numel,
                          const std::string& dtype, Tolerance tolerance) {
    return with_dtype(dtype, [&](auto value, int parts) {
        using T = decltype(value);
        return per_element(compare_typed(static_cast<const T*>(expected), static_cast<const T*>(actual),
                                         numel * parts, tolerance),
                           parts);
    });
}

}  // namespace kbeval::native
