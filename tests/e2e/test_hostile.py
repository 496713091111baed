"""Candidates that crash, lie or take too much: their own evaluation is lost and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Kbeval

HEAD = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gelu_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside)
    inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    tl.store(out_ptr + offsets, x / (1.0 + tl.exp(-2.0 * inner)), mask=inside)


def gelu(x):
    out = torch.empty_like(x)
    gelu_kernel[(triton.cdiv(x.numel(), 4096),)](x, out, x.numel(), BLOCK=4096)
    return out


"""


def model(body: str, init: str = "pass") -> str:
    return (
        HEAD
        + "class ModelNew(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        + f"        {init}\n\n    def forward(self, x):\n"
        + "".join(f"        {line}\n" for line in body.splitlines())
    )


CASES = {
    "wrong dtype": ("return gelu(x).double()", "incorrect", "output 0 has dtype float64; expected float32"),
    "wrong shape": ("return gelu(x)[:1]", "incorrect", "output 0 has shape [1, "),
    "a list": ("return [gelu(x)]", "incorrect", "forward returned a list of 1; expected a tensor"),
    "none": ("gelu(x)\nreturn None", "incorrect", "expected a tensor"),
    "sparse": ("return gelu(x).to_sparse()", "incorrect", "has layout torch.sparse_coo"),
    "nan": ("return gelu(x) * float('nan')", "incorrect", "NaN or infinite on one side only"),
    "zeros": ("gelu(x)\nreturn torch.zeros_like(x)", "incorrect", "output mismatch"),
    "kept result": (
        "if self.kept is None:\n    self.kept = gelu(x)\nreturn self.kept",
        "incorrect",
        "(seed 2 of 5)",
    ),
    "half precision": ("return gelu(x.to(torch.bfloat16).float())", "incorrect", "beyond tolerance"),
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_outputs(kbeval: Kbeval, tmp_path: Path, name: str) -> None:
    body, status, message = CASES[name]
    file = tmp_path / "candidate.py"
    file.write_text(model(body, "self.kept = None"))
    verdict = kbeval("check", "L1_088", file, "--device", "cpu", "--json").json
    assert (verdict["status"], message in verdict["message"]) == (status, True), verdict["message"]


def test_changed_inputs_are_flagged_and_no_success(kbeval: Kbeval, tmp_path: Path) -> None:
    file = tmp_path / "candidate.py"
    file.write_text(model("out = gelu(x)\nx.zero_()\nreturn out"))
    result = kbeval("check", "L1_088", file, "--device", "cpu", "--json")
    assert result.json["flags"] == ["inputs_modified"]
    assert result.code == 1


def test_an_output_that_is_an_input_is_flagged(kbeval: Kbeval, tmp_path: Path) -> None:
    file = tmp_path / "candidate.py"
    file.write_text(model("x.copy_(gelu(x))\nreturn x"))
    assert set(kbeval("check", "L1_088", file, "--device", "cpu", "--json").json["flags"]) == {
        "inputs_modified",
        "output_aliases_input",
    }


def test_missing_parameters_are_named(kbeval: Kbeval, tmp_path: Path) -> None:
    file = tmp_path / "candidate.py"
    body = model("return gelu(x)").replace("def __init__(self)", "def __init__(self, *sizes)")
    file.write_text(body)
    verdict = kbeval("check", "L2_076", file, "--device", "cpu", "--json").json
    assert verdict["status"] == "runtime_error"
    assert "has no parameter or buffer bias, gemm.weight" in verdict["message"]


NATIVE = '''import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>
torch::Tensor work(torch::Tensor x) {
    BODY
    return x.clone();
}
"""
extension = load_inline(name="native", cpp_sources=SOURCE, functions=["work"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.work(x)
'''


def test_a_segmentation_fault_costs_only_itself(kbeval: Kbeval, tmp_path: Path) -> None:
    file = tmp_path / "candidate.py"
    file.write_text(NATIVE.replace("BODY", "volatile int* nowhere = nullptr; *nowhere = 1;"))
    verdict = kbeval("check", "L1_088", file, "--device", "cpu", "--json").json
    assert verdict["status"] == "runtime_error"
    assert "was ended by signal 11 (SIGSEGV)" in verdict["message"]


@pytest.mark.parametrize("problem", ["L2_066", "L3_035"])
def test_references_that_draw_random_numbers_agree_with_themselves(
    kbeval: Kbeval, tmp_path: Path, problem: str
) -> None:
    """Dropout and a random initial state: both sides draw the same, in checks and in every timed trial."""
    source = next((ROOT / "problems").glob(f"level*/{problem}_*.py"))
    file = tmp_path / "self.py"
    made = subprocess.run(
        [sys.executable, ROOT / "scripts" / "gpu" / "self_candidate.py", source],
        capture_output=True,
        check=True,
    )
    file.write_bytes(made.stdout)
    verdict = kbeval("run", problem, file, "--device", "cpu", "--json").json
    assert verdict["status"] == "correct", verdict["message"]
    assert verdict["agreement"]["max_abs_diff"] < 1e-6
