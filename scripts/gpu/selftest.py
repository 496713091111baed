"""Proves the native library's CUDA side on a GPU: results against the CPU's, bandwidths, clocks and records.

    KBEVAL_NATIVE_LIB=lib/kbeval_native….so python3 scripts/gpu/selftest.py [OUT.json]

Prints a table, writes the figures as JSON, and exits with 1 where a check fails.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import triton
import triton.language as tl

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "harness"))
from kbeval_harness import native

lib: Any = native.module()
figures: dict[str, Any] = {}
failures: list[str] = []
GIB = 1 << 30


def expect(name: str, good: bool, detail: object = "") -> None:
    print(f"{'ok  ' if good else 'FAIL'} {name} {detail}", flush=True)
    if not good:
        failures.append(name)


def fields(r: Any) -> tuple[Any, ...]:
    return (
        r.numel, r.mismatches, r.nonfinite_mismatches, r.max_abs, r.max_rel, r.worst_index,
        repr(r.worst_expected), repr(r.worst_actual),
    )  # fmt: skip


def both(expected: torch.Tensor, actual: torch.Tensor, atol: float, rtol: float) -> tuple[Any, Any]:
    dtype = str(expected.dtype).removeprefix("torch.")
    e, a = expected.cuda(), actual.cuda()
    on_gpu = lib.compare(0, e.data_ptr(), a.data_ptr(), expected.numel(), dtype, atol, rtol)
    on_cpu = lib.compare(-1, expected.data_ptr(), actual.data_ptr(), expected.numel(), dtype, atol, rtol)
    return on_gpu, on_cpu


def check_compare() -> None:
    torch.manual_seed(1)
    dtypes = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8,
              torch.bool, torch.complex64]  # fmt: skip
    for dtype in dtypes:
        for size in (1, 3, 17, 4097, 1_000_003):
            base = torch.randn(size) * 50
            expected = base.to(dtype)
            actual = (base + torch.randn(size) * 1e-2).to(dtype)
            if dtype.is_floating_point and size > 100:
                expected[50], actual[51], expected[52], actual[52] = (
                    float("nan"),
                    float("inf"),
                    1e4,
                    float("-inf"),
                )
            gpu, cpu = both(expected, actual, 1e-2, 1e-4)
            expect(f"compare {dtype} {size}", fields(gpu) == fields(cpu), (fields(gpu), fields(cpu)))
    same = torch.randn(1_000_003)
    gpu, cpu = both(same, same.clone(), 1e-4, 1e-4)
    expect("compare equal", fields(gpu) == fields(cpu) and gpu.mismatches == 0)


def milliseconds(run: Callable[[], object], repeats: int = 9) -> float:
    """Median by CUDA events, one warm-up."""
    run()
    times = []
    for _ in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        run()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


@triton.jit
def read_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    total = tl.zeros((BLOCK,), tl.float32)
    start = tl.program_id(0).to(tl.int64) * BLOCK
    step = tl.num_programs(0).to(tl.int64) * BLOCK
    for at in range(start, count, step):
        total += tl.load(x_ptr + at + tl.arange(0, BLOCK))
    tl.store(out_ptr + tl.program_id(0), tl.sum(total))


def check_bandwidth() -> None:
    count = GIB  # elements of a 4 GiB float32 buffer; the pair is 8 GiB
    expected = torch.rand(count, device="cuda")
    actual = expected.clone()
    out = torch.empty(8192, device="cuda")

    def read(x: torch.Tensor) -> None:
        read_kernel[(132 * 16,)](x, out, count, BLOCK=4096, num_warps=8)

    def read_both() -> None:
        read(expected)
        read(actual)

    read_ms = milliseconds(read_both)
    compare_ms = milliseconds(
        lambda: lib.compare(0, expected.data_ptr(), actual.data_ptr(), count, "float32", 1e-4, 1e-4)
    )
    allclose_ms = milliseconds(lambda: torch.allclose(expected, actual, 1e-4, 1e-4), 3)
    hash_ms = milliseconds(lambda: lib.fingerprint(0, expected.data_ptr(), 4 * count, 5))
    gb = 8 * count / 1e6
    figures["read_GBps"] = gb / read_ms
    figures["compare_GBps"] = gb / compare_ms
    figures["compare_share_of_read"] = read_ms / compare_ms
    figures["allclose_over_compare"] = allclose_ms / compare_ms
    figures["fingerprint_GBps"] = gb / 2 / hash_ms
    expect("compare reaches 70 % of the read bandwidth", read_ms / compare_ms >= 0.7, figures)


def check_fingerprint() -> None:
    for size in (0, 1, 16, 33, 1_000_003):
        data = torch.randint(0, 256, (size,), dtype=torch.uint8)
        gpu = data.cuda()
        a = lib.fingerprint(0, gpu.data_ptr(), size, 99)
        b = lib.fingerprint(-1, data.data_ptr(), size, 99)
        expect(f"fingerprint {size}", a == b)


def busy(stream: torch.cuda.Stream | None, x: torch.Tensor, times: int) -> torch.Tensor:
    if stream is None:
        for _ in range(times):
            x = x @ x
        return x
    with torch.cuda.stream(stream):
        for _ in range(times):
            x = x @ x
    return x


def check_clock() -> None:
    x = torch.rand(4096, 4096, device="cuda") / 4096
    side = torch.cuda.Stream()
    truth = milliseconds(lambda: busy(None, x, 4))
    for mode in ("context", "stream"):
        timer = lib.BlockTimer(0, 128 << 20, mode)
        for name, stream in (("main stream", None), ("side stream", side)):
            trials = timer.run(lambda s=stream: busy(s, x, 4), [()] * 9, lambda i, r: None, [()] * 2, 0)
            ms = statistics.median(t.device_ms for t in trials)
            figures[f"clock {mode} {name} over events"] = ms / truth
            expect(
                f"clock {mode}: {name} counts", 0.95 < ms / truth < 1.1, f"{ms:.4f} ms, events {truth:.4f} ms"
            )
        small = torch.rand(1024, device="cuda")
        trials = timer.run(lambda s=small: s + 1, [()] * 50, lambda i, r: None, [()] * 10, 0)
        figures[f"clock {mode} tiny kernel us"] = 1000 * statistics.median(t.device_ms for t in trials)
    check_head_start(side, truth)
    check_spin()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x @ x
        for _ in range(3):
            y = y @ x
    trials = lib.BlockTimer(0, 128 << 20).run(graph.replay, [()] * 9, lambda i, r: None, [()], 0)
    ms = statistics.median(t.device_ms for t in trials)
    expect("clock: a CUDA graph counts", 0.9 < ms / truth < 1.1, f"{ms:.4f} ms")
    check_recorder(graph, side, x)


def check_head_start(side: torch.cuda.Stream, gemms_ms: float) -> None:
    """A slow launch is in no time with a head start, is without, and no stream runs ahead of the start."""
    timer = lib.BlockTimer(0, 128 << 20)
    small = torch.rand(1024, device="cuda")

    def late() -> torch.Tensor:
        begin = time.perf_counter()
        while time.perf_counter() - begin < 100e-6:
            pass
        return small + 1

    def us(forward: Any, **options: float) -> float:
        trials = timer.run(forward, [()] * 50, lambda i, r: None, [()] * 10, 0, **options)
        return 1000 * statistics.median(t.device_ms for t in trials)

    without, with_it = us(late), us(late, head_start_us=200.0)
    prompt = us(lambda: small + 1, head_start_us=200.0)
    figures["a kernel launched 100 us late, us"] = without
    figures["the same with a head start, us"] = with_it
    figures["the same launched at once with a head start, us"] = prompt
    expect("head start hides the launch", with_it < 30 < without and abs(with_it - prompt) < 3, figures)
    x = torch.rand(4096, 4096, device="cuda") / 4096
    ahead = us(lambda: busy(side, x, 4), head_start_us=20000.0) / 1000
    figures["GEMMs on a side stream under a head start over events"] = ahead / gemms_ms
    expect("nothing runs ahead of the start on a side stream", ahead / gemms_ms > 0.95, ahead)


def check_spin() -> None:
    timer = lib.BlockTimer(0, 128 << 20)
    small = torch.rand(1024, device="cuda")
    times = {}
    for spin in (5.0, 10.0, 45.0, 205.0):
        trials = timer.run(
            lambda: small + 1, [()] * 50, lambda i, r: None, [()] * 10, 0, head_start_us=200.0, spin_us=spin
        )
        times[spin] = 1000 * statistics.median(t.device_ms for t in trials)
    for spin in (10.0, 45.0, 205.0):
        added = times[spin] - times[5.0]
        figures[f"spin of {spin - 5:.0f} us adds us"] = added
        expect(f"spin {spin - 5:.0f} us", abs(added - (spin - 5)) < 0.3 + 0.01 * spin, added)


def check_recorder(graph: torch.cuda.CUDAGraph, side: torch.cuda.Stream, x: torch.Tensor) -> None:
    timer = lib.BlockTimer(0, 128 << 20)
    before = [t.device_ms for t in timer.run(lambda: x + 1, [()] * 60, lambda i, r: None, [()] * 20, 0)]
    recorder = lib.KernelRecorder(0)
    for round_number in (1, 2):
        recorder.start()
        out = torch.empty(8192, device="cuda")
        read_kernel[(64,)](x, out, x.numel(), BLOCK=1024)
        graph.replay()
        busy(side, x, 2)
        records = {r.name: r for r in recorder.stop()}
        recorder.finalize()
        expect(f"recorder {round_number}: Triton kernel by name", "read_kernel" in records, list(records)[:4])
        library = [
            r
            for n, r in records.items()
            if "gemm" in n.lower() or "sm90" in n.lower() or "sgemm" in n.lower()
        ]
        launches = sum(r.count for r in library)
        expect(
            f"recorder {round_number}: graph and side stream",
            launches == 6,
            [(r.name[:40], r.count) for r in library],
        )
        expect(f"recorder {round_number}: none dropped", recorder.dropped == 0)
    after = [t.device_ms for t in timer.run(lambda: x + 1, [()] * 60, lambda i, r: None, [()] * 20, 0)]
    ratio = statistics.median(after) / statistics.median(before)
    figures["time after CUPTI over before"] = ratio
    expect("timing is undisturbed after CUPTI", 0.98 < ratio < 1.02, ratio)


def main() -> int:
    check_compare()
    check_fingerprint()
    check_bandwidth()
    check_clock()
    print(json.dumps(figures, indent=1))
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps({"failures": failures, "figures": figures}, indent=1))
    print(f"{len(failures)} failed: {failures}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
