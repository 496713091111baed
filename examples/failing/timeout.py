"""Status timeout on L1_088: forward never returns."""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def copy_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < count), mask=offsets < count)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        rounds = 0
        while out is not None:
            rounds += 1
        copy_kernel[(rounds,)](x, out, x.numel(), BLOCK=1024)
        return out
