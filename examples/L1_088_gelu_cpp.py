"""L1_088 on the CPU device: MinGPT's GELU in one pass over memory, in C++."""

from torch import nn
from torch.utils.cpp_extension import load_inline

CPP_SOURCE = r"""
#include <torch/extension.h>
#include <cmath>

torch::Tensor gelu_forward(torch::Tensor x) {
    auto out = torch::empty_like(x);
    const float* from = x.data_ptr<float>();
    float* to = out.data_ptr<float>();
    const long count = x.numel();
    for (long i = 0; i < count; ++i) {
        const float v = from[i];
        const float inner = 0.7978845608028654f * (v + 0.044715f * v * v * v);
        to[i] = v / (1.0f + std::exp(-2.0f * inner));
    }
    return out;
}
"""

extension = load_inline(
    name="gelu_cpp",
    cpp_sources=CPP_SOURCE,
    functions=["gelu_forward"],
    extra_cflags=["-O3", "-ffast-math"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.gelu_forward(x.contiguous())
