import torch
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 1024
INPUT_SIZE = 8192
OUTPUT_SIZE = 8192
DIVISOR = 10.0


class Model(nn.Module):
    """Linear layer, division by a constant, then GELU."""

    def __init__(self, input_size, output_size, divisor):
        super().__init__()
        self.linear = nn.Linear(input_size, output_size)
        self.divisor = divisor

    def forward(self, x):
        x = self.linear(x)
        x = x / self.divisor
        return F.gelu(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, OUTPUT_SIZE, DIVISOR]
