"""The native library's CPU side against NumPy; its CUDA side is proved by scripts/gpu/selftest.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


def compare(
    lib: Any, expected: np.ndarray, actual: np.ndarray, atol: float = 1e-4, rtol: float = 1e-4
) -> Any:
    dtype = "bool" if expected.dtype == np.bool_ else str(expected.dtype)
    return lib.compare(-1, expected.ctypes.data, actual.ctypes.data, expected.size, dtype, atol, rtol)


FLOATS = ["float64", "float32", "float16", "complex64", "complex128"]
INTEGERS = ["int64", "int32", "int16", "int8", "uint8"]


def random_array(rng: np.random.Generator, size: int, dtype: str) -> np.ndarray:
    if dtype.startswith("complex"):
        return (rng.normal(size=size) + 1j * rng.normal(size=size)).astype(dtype)
    if dtype in FLOATS:
        return rng.normal(size=size).astype(dtype)
    return rng.integers(0, 100, size=size).astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("size", [0, 1, 15, 17, 4099])
def test_equal_buffers_match(lib: Any, dtype: str, size: int) -> None:
    data = random_array(np.random.default_rng(1), size, dtype)
    result = compare(lib, data, data.copy())
    assert (result.numel, result.mismatches, result.max_abs) == (size, 0, 0)
    assert (result.worst_index == -1) == (size == 0)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_counts_and_worst_place_are_numpys(lib: Any, dtype: str) -> None:
    rng = np.random.default_rng(2)
    expected = random_array(rng, 5000, dtype)
    actual = (expected.astype("f8") + rng.normal(size=5000) * 2e-3).astype(dtype)
    result = compare(lib, expected, actual, 1e-3, 1e-3)
    e, a = expected.astype("f8"), actual.astype("f8")
    distance = np.abs(e - a)
    violation = distance - (1e-3 + 1e-3 * np.abs(e))
    assert result.mismatches == int((violation > 0).sum())
    assert result.worst_index == int(np.argmax(violation))
    assert result.max_abs == pytest.approx(distance.max(), rel=1e-6)
    assert result.max_rel == pytest.approx((distance / np.abs(e)).max(), rel=1e-6)
    assert (result.worst_expected, result.worst_actual) == (e[result.worst_index], a[result.worst_index])


def test_tolerance_is_decided_in_double(lib: Any) -> None:
    expected = np.array([1.0, 1.0], dtype="float32")
    actual = np.array([1.0 + 2**-23, 1.0 + 2**-22], dtype="float32")
    assert compare(lib, expected, actual, 2**-23, 0).mismatches == 1
    assert compare(lib, expected, actual, 2**-22, 0).mismatches == 0
    assert compare(lib, expected, actual, 0, 0).mismatches == 2


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("expected", "actual", "mismatches", "nonfinite"),
    [
        (NAN, NAN, 0, 0),
        (INF, INF, 0, 0),
        (-INF, -INF, 0, 0),
        (INF, -INF, 1, 1),
        (NAN, 1.0, 1, 1),
        (1.0, NAN, 1, 1),
        (1.0, INF, 1, 1),
        (INF, 1.0, 1, 1),
        (NAN, INF, 1, 1),
        (0.0, -0.0, 0, 0),
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_nonfinite_values(  # noqa: PLR0917
    lib: Any, dtype: str, expected: float, actual: float, mismatches: int, nonfinite: int
) -> None:
    left, right = np.full(5, 0.5, dtype), np.full(5, 0.5, dtype)
    left[3], right[3] = expected, actual
    result = compare(lib, left, right)
    assert (result.mismatches, result.nonfinite_mismatches) == (mismatches, nonfinite)
    assert not mismatches or result.worst_index == 3


def test_a_nonfinite_mismatch_outranks_any_finite_one(lib: Any) -> None:
    expected, actual = np.zeros(10, "float32"), np.zeros(10, "float32")
    actual[2], actual[7] = 1e30, NAN
    assert compare(lib, expected, actual).worst_index == 7


def test_overflowing_difference_is_a_mismatch(lib: Any) -> None:
    big = np.array([3e38, -3e38], "float32")
    result = compare(lib, big, -big)
    assert (result.mismatches, result.nonfinite_mismatches) == (2, 0)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_compare_exactly(lib: Any, dtype: str) -> None:
    expected = np.full(100, 50, dtype)
    actual = expected.copy()
    actual[41] += 1
    result = compare(lib, expected, actual, 10, 10)
    assert (result.mismatches, result.worst_index, result.max_abs) == (1, 41, 1)


def test_large_integers_that_double_cannot_tell_apart(lib: Any) -> None:
    expected = np.array([2**62], "int64")
    assert compare(lib, expected, expected + 1).mismatches == 1


def test_booleans(lib: Any) -> None:
    assert compare(lib, np.array([True, False]), np.array([True, True])).mismatches == 1


def test_complex_places_count_in_elements(lib: Any) -> None:
    expected = np.zeros(8, "complex64")
    actual = expected.copy()
    actual[5] = 1j
    result = compare(lib, expected, actual)
    assert (result.numel, result.mismatches, result.worst_index) == (8, 1, 5)


def test_bfloat16_by_bits(lib: Any) -> None:
    bits = np.array([0x3F80, 0x4000, 0x7FC0], "uint16")  # 1, 2, NaN
    other = np.array([0x3F80, 0x4001, 0x7FC0], "uint16")
    result = lib.compare(-1, bits.ctypes.data, other.ctypes.data, 3, "bfloat16", 1e-4, 1e-4)
    assert (result.mismatches, result.worst_index, result.worst_actual) == (1, 1, 2.015625)


def test_unknown_dtype_is_named(lib: Any) -> None:
    with pytest.raises(ValueError, match="qint8"):
        lib.compare(-1, 0, 0, 0, "qint8", 0, 0)


def test_unaligned_buffers(lib: Any) -> None:
    raw = np.zeros(4 * 101 + 1, "uint8")
    expected = np.frombuffer(raw.data, "float32", count=101, offset=1)
    other = raw.copy()
    actual = np.frombuffer(other.data, "float32", count=101, offset=1)
    other[1 + 4 * 100 + 3] = 0x40
    result = lib.compare(-1, expected.ctypes.data, actual.ctypes.data, 101, "float32", 1e-4, 1e-4)
    assert (result.mismatches, result.worst_index) == (1, 100)


def fingerprint(lib: Any, data: bytes, key: int = 7) -> int:
    buffer = np.frombuffer(data, "uint8")
    value: int = lib.fingerprint(-1, buffer.ctypes.data if data else 0, len(data), key)
    return value


def test_fingerprint_sees_every_byte_its_order_and_the_length(lib: Any) -> None:
    base = bytes(np.random.default_rng(3).integers(0, 256, 1003, dtype="uint8"))
    seen = {fingerprint(lib, base)}
    for i in range(0, 1003, 7):
        changed = bytearray(base)
        changed[i] ^= 1
        seen.add(fingerprint(lib, bytes(changed)))
    assert len(seen) == 1 + len(range(0, 1003, 7))
    swapped = base[16:32] + base[:16] + base[32:]
    assert fingerprint(lib, swapped) not in seen
    assert fingerprint(lib, base + b"\0") not in seen
    assert fingerprint(lib, b"") != fingerprint(lib, b"\0")


def test_fingerprint_depends_on_the_key(lib: Any) -> None:
    data = bytes(range(256))
    assert fingerprint(lib, data, 1) != fingerprint(lib, data, 2)
    assert fingerprint(lib, data, 1) == fingerprint(lib, data, 1)


def test_poison_is_nan(lib: Any) -> None:
    data = np.zeros(100, "float32")
    lib.poison(-1, data.ctypes.data, 4 * 50)
    assert np.isnan(data[:50]).all()
    assert (data[50:] == 0).all()


def test_block_timer_times_forwards_and_delivers_in_order(lib: Any) -> None:
    import time

    calls: list[tuple[str, int]] = []

    def forward(kind: str, number: int) -> int:
        calls.append((kind, number))
        time.sleep(0.002 if kind == "timed" else 0)
        return number * 10

    delivered: list[tuple[int, int]] = []
    timer = lib.BlockTimer(-1, 1 << 16)
    times = timer.run(
        forward, [("timed", i) for i in range(3)], lambda i, r: delivered.append((i, r)), [("warm", 9)] * 2, 0
    )
    assert calls == [("warm", 9), ("warm", 9), ("timed", 0), ("timed", 1), ("timed", 2)]
    assert delivered == [(0, 0), (1, 10), (2, 20)]
    assert all(2 <= t.device_ms < 50 for t in times)


def test_block_timer_spins_for_a_known_time(lib: Any) -> None:
    timer = lib.BlockTimer(-1, 64)
    for spin in (0.0, 3000.0):
        times = timer.run(lambda: None, [()] * 5, lambda i, r: None, [], 0, head_start_us=200.0, spin_us=spin)
        shortest = min(t.device_ms for t in times)
        assert spin / 1000 <= shortest < spin / 1000 + 0.5


def test_block_timer_passes_exceptions_on(lib: Any) -> None:
    def forward() -> None:
        raise KeyError("from the candidate")

    with pytest.raises(KeyError, match="from the candidate"):
        lib.BlockTimer(-1, 64).run(forward, [()], lambda i, r: None, [], 0)


def test_without_a_gpu_cuda_calls_fail_cleanly(lib: Any) -> None:
    with pytest.raises(RuntimeError):
        lib.cuda_alloc(0, 1024)
