"""What an evaluator without kbeval's means does with one candidate: a cold process that imports PyTorch, checks five
seeds and times both models with CUDA events, eager only. The measure that scripts/gpu/throughput compares with.

    python scripts/gpu/stock.py PROBLEM.py CANDIDATE.py    prints one line of JSON
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from types import ModuleType
from typing import Any

START = time.perf_counter()

import torch  # noqa: E402

WARM_UP = 10
TRIALS = 100
SEEDS = 5


def load(path: str, name: str) -> ModuleType:
    import importlib.util

    spec = importlib.util.spec_from_file_location(name, path)  # Triton wants the source in a file
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def on_gpu(values: list[Any]) -> list[Any]:
    return [value.cuda() if isinstance(value, torch.Tensor) else value for value in values]


def time_model(model: torch.nn.Module, inputs: list[Any]) -> float:
    for _ in range(WARM_UP):
        model(*inputs)
    times = []
    for _ in range(TRIALS):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        begin.record()
        model(*inputs)
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def main() -> None:
    problem = load(sys.argv[1], "problem")
    imported = time.perf_counter()
    candidate = load(sys.argv[2], "candidate")
    built = time.perf_counter()
    torch.manual_seed(0)
    reference = problem.Model(*problem.get_init_inputs()).cuda()
    torch.manual_seed(0)
    model = candidate.ModelNew(*problem.get_init_inputs()).cuda()
    model.load_state_dict(reference.state_dict(), strict=False)
    correct = True
    with torch.no_grad():
        for seed in range(SEEDS):
            torch.manual_seed(seed)
            inputs = on_gpu(problem.get_inputs())
            correct &= torch.allclose(reference(*inputs), model(*inputs), atol=1e-4, rtol=1e-4)
        checked = time.perf_counter()
        ref_ms, cand_ms = time_model(reference, inputs), time_model(model, inputs)
    end = time.perf_counter()
    print(
        json.dumps(
            {
                "correct": correct,
                "ref_ms": ref_ms,
                "cand_ms": cand_ms,
                "import_s": imported - START,
                "build_s": built - imported,
                "correctness_s": checked - built,
                "timing_s": end - checked,
            }
        )
    )


if __name__ == "__main__":
    main()
