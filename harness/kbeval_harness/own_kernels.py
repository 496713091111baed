"""Which kernels a forward launches: CUPTI records on CUDA, counted calls on the CPU device."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import native

Kernel = dict[str, Any]


def record_cuda_kernels(
    device: int, forward: Callable[[], object], forwards: int
) -> tuple[list[Kernel], int, object]:
    """Run ``forward`` under CUPTI. Returns kernels (mangled name, launches, total ns), lost records, output."""
    recorder = native.module().KernelRecorder(device)
    recorder.start()
    try:
        result: object = None
        for _ in range(forwards):
            result = forward()
    finally:
        records = recorder.stop()
        recorder.finalize()
    kernels = [{"name": r.name, "launches": r.count, "total_ns": r.total_ns} for r in records]
    return kernels, recorder.dropped, result


class CpuCalls:
    """Counts and times calls into what the candidate wrote: extension functions and interpreted Triton kernels.

    Time is wall time; the rest of the forward is reported under the name ``(other)``. This is glue for the CPU
    device, where no profiler of the machine sees the calls; it is not hardened against a candidate that lies.
    """

    def __init__(self) -> None:
        self._totals: dict[str, list[int]] = {}
        self._depth = 0

    def _timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            start = time.perf_counter_ns()
            self._depth += 1
            try:
                result = function(*args, **kwargs)
            finally:
                self._depth -= 1
            if self._depth == 0:  # one that failed is no launch
                total = self._totals.setdefault(name, [0, 0])
                total[0] += 1
                total[1] += time.perf_counter_ns() - start
            return result

        return wrapper

    def watch_extension(self, extension: ModuleType) -> ModuleType:
        """A module whose functions are the extension's, counted."""
        watched = ModuleType(extension.__name__)
        for name in dir(extension):
            item = getattr(extension, name)
            if not name.startswith("__"):
                setattr(watched, name, self._timed(name, item) if callable(item) else item)
        return watched

    def watch_interpreter(self) -> None:
        """Count launches of kernels that Triton's interpreter runs; autotuning takes the first configuration."""
        from triton.runtime import autotuner, interpreter

        run = interpreter.GridExecutor.__call__

        def counted(executor: Any, *args: Any, **kwargs: Any) -> Any:
            return self._timed(executor.fn.__name__, functools.partial(run, executor))(*args, **kwargs)

        interpreter.GridExecutor.__call__ = counted
        autotuner.Autotuner._bench = lambda tuner, *args, config, **meta: [0.0]

    def record(self, forward: Callable[[], object], forwards: int) -> tuple[list[Kernel], object]:
        self._totals.clear()
        start = time.perf_counter_ns()
        result: object = None
        for _ in range(forwards):
            result = forward()
        elapsed = time.perf_counter_ns() - start
        kernels = [{"name": n, "launches": c, "total_ns": t} for n, (c, t) in self._totals.items()]
        other = max(0, elapsed - sum(t for _, t in self._totals.values()))
        return [*kernels, {"name": "(other)", "launches": forwards, "total_ns": other}], result
