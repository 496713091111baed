"""The oracle's regions, kept warm over many evaluations of one problem."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("torch")

from kbeval_harness.oracle import Oracle

WITHOUT_PARAMETERS = """
import torch
from torch import nn
class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)
def get_inputs():
    return [torch.rand(4)]
def get_init_inputs():
    return []
"""
WITH_PARAMETERS = WITHOUT_PARAMETERS.replace(
    "    def forward",
    "    def __init__(self):\n        super().__init__()\n        self.gain = nn.Parameter(torch.rand(4))\n"
    "    def forward",
)


@pytest.mark.usefixtures("lib")
@pytest.mark.parametrize("source", [WITHOUT_PARAMETERS, WITH_PARAMETERS], ids=["without", "with"])
def test_weights_drawn_again_stay_in_their_region(source: str, tmp_path: Path) -> None:
    oracle = Oracle(-1)
    oracle.on_load_problem(source, str(tmp_path / "problem.py"), {})
    first, fds = oracle.on_draw_weights(1, False)
    assert len(first["regions"]) == 1
    for seed in range(2, 40):
        again, more = oracle.on_draw_weights(seed, seed % 2 == 0)
        assert again["regions"] == [] and more == []
    for fd in fds:
        os.close(fd)
