import torch
from torch import nn

BATCH_SIZE = 16384
IN_FEATURES = 4096
OUT_FEATURES = 4096
SCALING_FACTOR = 0.5


class Model(nn.Module):
    """Linear layer y, then scale * y + y."""

    def __init__(self, in_features, out_features, scaling_factor):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.scaling_factor = scaling_factor

    def forward(self, x):
        x = self.matmul(x)
        residual = x.clone().detach()
        x = x * self.scaling_factor
        return x + residual


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, SCALING_FACTOR]
