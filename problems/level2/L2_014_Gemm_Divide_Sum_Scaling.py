import torch
from torch import nn

BATCH_SIZE = 1024
INPUT_SIZE = 8192
HIDDEN_SIZE = 8192
SCALING_FACTOR = 1.5


class Model(nn.Module):
    """Multiplies by a weight matrix, halves the product, sums each row, then scales."""

    def __init__(self, input_size, hidden_size, scaling_factor):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(hidden_size, input_size))
        self.scaling_factor = scaling_factor

    def forward(self, x):
        x = torch.matmul(x, self.weight.T)
        x = x / 2
        x = torch.sum(x, dim=1, keepdim=True)
        return x * self.scaling_factor


def get_inputs():
    return [torch.rand(BATCH_SIZE, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, SCALING_FACTOR]
