"""Status incorrect on L1_088: the cubic term has the wrong coefficient."""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def gelu_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside)
    inner = 0.7978845608028654 * (x + 0.05 * x * x * x)
    tl.store(out_ptr + offsets, x / (1.0 + tl.exp(-2.0 * inner)), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        gelu_kernel[(triton.cdiv(x.numel(), 4096),)](x, out, x.numel(), BLOCK=4096)
        return out
