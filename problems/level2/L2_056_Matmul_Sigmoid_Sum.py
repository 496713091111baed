import torch
from torch import nn

BATCH_SIZE = 128
INPUT_SIZE = 32768
HIDDEN_SIZE = 32768


class Model(nn.Module):
    """Linear layer, sigmoid, then the sum of each row."""

    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.linear = nn.Linear(input_size, hidden_size)

    def forward(self, x):
        x = self.linear(x)
        x = torch.sigmoid(x)
        return torch.sum(x, dim=1, keepdim=True)


def get_inputs():
    return [torch.rand(BATCH_SIZE, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE]
