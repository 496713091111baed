import torch
from torch import nn

BATCH_SIZE = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
MULTIPLIER = 2.0
NEGATIVE_SLOPE = 0.1


class Model(nn.Module):
    """Linear layer, multiplies by a constant, then leaky ReLU."""

    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.leaky_relu = nn.LeakyReLU(negative_slope)

    def forward(self, x):
        x = self.gemm(x)
        x = x * self.multiplier
        return self.leaky_relu(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, MULTIPLIER, NEGATIVE_SLOPE]
