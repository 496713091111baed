import torch
from torch import nn

BATCH_SIZE = 2048
IN_FEATURES = 8192
OUT_FEATURES = 8192
SCALING_FACTOR = 0.5
HARDTANH_MIN = -2
HARDTANH_MAX = 2


class Model(nn.Module):
    """Linear layer, scaling by a constant, hardtanh, then GELU."""

    def __init__(self, in_features, out_features, scaling_factor, hardtanh_min, hardtanh_max):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.scaling_factor = scaling_factor
        self.hardtanh = nn.Hardtanh(min_val=hardtanh_min, max_val=hardtanh_max)
        self.gelu = nn.GELU()

    def forward(self, x):
        x = self.gemm(x)
        x = x * self.scaling_factor
        x = self.hardtanh(x)
        return self.gelu(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, SCALING_FACTOR, HARDTANH_MIN, HARDTANH_MAX]
