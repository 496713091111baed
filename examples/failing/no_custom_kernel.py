"""Status no_custom_kernel on L1_088: a kernel is defined, but forward leaves the work to the library."""

import torch.nn.functional as F
import triton
import triton.language as tl
from torch import nn


@triton.jit
def gelu_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x / (1.0 + tl.exp(-1.702 * x)), mask=inside)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernel = gelu_kernel

    def forward(self, x):
        return F.gelu(x, approximate="tanh")
