import torch
from torch import nn

BATCH_SIZE = 128
IN_FEATURES = 32768
OUT_FEATURES = 32768
SCALING_FACTOR = 2.0


class Model(nn.Module):
    """Linear layer, Swish, then scaling by a constant."""

    def __init__(self, in_features, out_features, scaling_factor):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.scaling_factor = scaling_factor

    def forward(self, x):
        x = self.matmul(x)
        x = x * torch.sigmoid(x)
        return x * self.scaling_factor


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, SCALING_FACTOR]
