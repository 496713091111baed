"""Building blocks of the static check's tests: whole candidates made from small pieces."""

from __future__ import annotations

from typing import Any

from kbeval_harness.static_check.checker import check_source

PREAMBLE = """\
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl
from torch.utils.cpp_extension import load_inline


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, 2.0 * tl.load(x + i, mask=i < n), mask=i < n)

"""

MODEL = """

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2.0

    def forward(self, x):
        y = torch.empty_like(x)
        double_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256)
        return y
"""

CUDA = r'''
SOURCE = """
#include <torch/extension.h>
#include <cuda_runtime.h>
%s
__global__ void twice(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}
torch::Tensor run(torch::Tensor x) {
    auto y = torch::empty_like(x);
    twice<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
    return y;
}
"""
'''


def module_with(statements: str) -> str:
    """A good candidate with `statements` at module level."""
    return PREAMBLE + statements + MODEL


def method_with(statements: str) -> str:
    """A good candidate with `statements` at the start of forward."""
    lines = "".join(f"        {line}\n" for line in statements.splitlines())
    return (PREAMBLE + MODEL).replace(
        "        y = torch.empty_like(x)\n", lines + "        y = torch.empty_like(x)\n"
    )


def native_with(
    lines: str, call: str = 'load_inline(name="ext", cpp_sources="", cuda_sources=SOURCE)'
) -> str:
    """A good candidate that builds a CUDA extension with `lines` in its source."""
    return module_with((CUDA % lines) + f"\next_module = {call}\n")


def check(source: str | bytes, device: str = "cuda") -> dict[str, Any]:
    """The report on `source`, as it would be printed."""
    data = source.encode() if isinstance(source, str) else source
    return check_source(data, device).to_json()


def codes(source: str | bytes, device: str = "cuda") -> set[str]:
    """The codes of the violations of `source`."""
    return {violation["code"] for violation in check(source, device)["violations"]}


def warning_codes(source: str | bytes, device: str = "cuda") -> set[str]:
    """The codes of the warnings on `source`."""
    return {warning["code"] for warning in check(source, device)["warnings"]}


def numbered(source: str, fragment: str) -> tuple[int, int]:
    """Line and column, both from 1, of the first `fragment` in `source`."""
    offset = source.index(fragment)
    return source.count("\n", 0, offset) + 1, offset - (source.rfind("\n", 0, offset) + 1) + 1
