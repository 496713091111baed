"""Status compile_error on L1_088: the C++ source uses a name that it never declares."""

from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>

torch::Tensor gelu_forward(torch::Tensor x) {
    return x * undeclared_scale;
}
"""

CUDA_SOURCE = r"""
__global__ void unused_kernel(float* x) { x[0] = 0.0f; }
"""

extension = load_inline(name="gelu_broken", cpp_sources=SOURCE, functions=["gelu_forward"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.gelu_forward(x)
