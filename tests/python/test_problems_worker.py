"""The worker that loads problem files nobody trusts: what it refuses, and where its rule of families agrees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from kbeval_problems.trace import load_source, trace_module
from kbeval_problems.worker import answer_to

PROBLEMS = Path(__file__).resolve().parents[2] / "problems"
GOOD = """
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 3)
    def forward(self, x):
        return torch.relu(self.linear(x))
def get_inputs():
    return [torch.rand(5, 7)]
def get_init_inputs():
    return [7]
"""


def answer(source: str, **task: Any) -> dict[str, Any]:
    return answer_to(
        {"key": 0, "file": "p.py", "name": "p", "level": 0, "recorded": None, "source": source, **task}
    )


def test_a_good_problem_is_described() -> None:
    found = answer(GOOD)
    assert found["ok"] and not found["reason"]
    assert found["family"] == "matmul"
    assert found["shapes"]["inputs"] == ["tensor[5, 7]:float32"]
    assert found["costs"] == {
        "input_bytes": 5 * 7 * 4,
        "parameter_bytes": (7 * 3 + 3) * 4,
        "output_bytes": 5 * 3 * 4,
        "flops": 2 * 5 * 7 * 3 + 5 * 3,
        "least_bytes": (5 * 7 + 7 * 3 + 3 + 5 * 3) * 4,
        "operators": 2,
    }


@pytest.mark.parametrize(
    ("source", "stage", "reason"),
    [
        ("def f(:", "parse", "line 1"),
        ("x = 1\0", "parse", "null"),
        ("(" * 5000, "parse", ""),
        ("x = 1", "parse", "defines no Model and no get_inputs and no get_init_inputs"),
        (GOOD.replace("def get_inputs", "def inputs"), "parse", "defines no get_inputs"),
        (GOOD + "raise SystemExit(0)", "load", "SystemExit"),
        (GOOD + "raise ValueError('no')", "load", "cannot be executed: ValueError('no')"),
        (GOOD + "get_inputs = 3", "load", "must define get_inputs"),
        (GOOD + "def Model(): pass", "load", "Model is not a torch.nn.Module"),
    ],
)
def test_bad_problems_are_refused_with_the_reason(source: str, stage: str, reason: str) -> None:
    found = answer(source)
    assert not found["ok"]
    assert found["stage"] == stage
    assert reason in found["reason"]


def test_a_problem_that_meta_tensors_cannot_run_is_good_but_not_described() -> None:
    found = answer(GOOD.replace("torch.relu(self.linear(x))", "x * x.sum().item()"))
    assert found["ok"]
    assert "cannot be traced" in found["reason"]
    assert "shapes" not in found


def test_future_annotations_are_not_inherited() -> None:
    source = GOOD.replace("def forward(self, x)", "def forward(self, x: torch.Tensor)")
    assert trace_module(load_source(source, "p.py"))["forward_signature"] == "(self, x: torch.Tensor)"
