"""A batch in which most candidates do their worst: each costs its own evaluation, and the record says what
happened. All share one extension, so that it is built once and then comes from the cache."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from conftest import Kbeval

CANDIDATE = """
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r'''
#include <torch/extension.h>

static int64_t deeper(int64_t depth) {
  volatile char frame[65536];
  frame[depth % 65536] = 1;
  return deeper(depth + 1) + frame[0];
}

torch::Tensor work(torch::Tensor x, int64_t what) {
  volatile int64_t zero = 0;
  if (what == 1) { volatile int* nowhere = nullptr; *nowhere = 1; }
  if (what == 2) { return x * deeper(0); }
  if (what == 3) { return x * (what / zero); }
  if (what == 4) { TORCH_CHECK(zero == 1, "it gives up"); }
  if (what == 5) { return torch::empty({int64_t(1) << 50}, x.options()); }
  if (what == 6) { for (;;) { zero = zero + 1; } }
  if (what == 7) { __builtin_trap(); }
  return 0.5 * x * (1 + torch::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}
'''
extension = load_inline(name="faults", cpp_sources=SOURCE, functions=["work"])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        WHAT

    def forward(self, x):
        return extension.work(x, NUMBER)
"""

FLOOD = "for line in range(2048): print('x' * (1 << 20))"  # 2 GiB

EXPECTED = {
    1: ("runtime_error", "SIGSEGV"),
    2: ("runtime_error", "SIGSEGV"),
    3: ("runtime_error", "SIGFPE"),
    4: ("runtime_error", "it gives up"),
    5: ("runtime_error", "memory"),
    6: ("timeout", ""),
    7: ("runtime_error", "SIGILL"),
    8: ("correct", ""),  # after all that it printed
}


def test_poisonous_candidates_cost_only_themselves(kbeval: Kbeval, tmp_path: Path, database: Path) -> None:
    kinds = [0, 1, 0, 2, 3, 4, 5, 6, 0, 7, 8, 0]
    file = tmp_path / "m.jsonl"
    with file.open("w") as stream:
        for number, kind in enumerate(kinds):
            source = CANDIDATE.replace("NUMBER", str(kind)).replace("WHAT", FLOOD if kind == 8 else "pass")
            line = {"problem": "L1_088", "source": source, "label": f"{number}"}
            stream.write(json.dumps(line) + "\n")
    # Without a time to build: the extension comes from the first batch.
    options = ("--device", "cpu", "--timing-budget", "3", "--seeds", "1")
    warm = kbeval("batch", file, *options, "--limit", "1")
    assert "0 correct" not in warm.out, warm.out + warm.err
    result = kbeval("batch", file, *options, "--build-timeout", "8")
    assert result.code == 1, result.err
    with sqlite3.connect(database) as connection:
        rows = connection.execute(
            "SELECT j.label, j.status, v.message FROM jobs AS j JOIN verdicts AS v ON v.id = j.evaluation "
            "WHERE j.run = (SELECT id FROM runs WHERE judged = jobs) ORDER BY j.position"
        ).fetchall()
    assert len(rows) == len(kinds)
    for kind, (_, status, message) in zip(kinds, rows, strict=True):
        expected, part = EXPECTED.get(kind, ("correct", ""))
        assert (status, part in message) == (expected, True), (kind, status, message)
