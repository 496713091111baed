import torch
from torch import nn

BATCH_SIZE = 1024
INPUT_SIZE = 8192
HIDDEN_SIZE = 8192
NUM_GROUPS = 512


class Model(nn.Module):
    """Linear layer, group normalization, leaky ReLU, then adds the result to itself."""

    def __init__(self, input_size, hidden_size, num_groups, eps=1e-05, negative_slope=0.01):
        super().__init__()
        self.fc = nn.Linear(input_size, hidden_size)
        self.gn = nn.GroupNorm(num_groups=num_groups, num_channels=hidden_size, eps=eps)
        self.leaky_relu = nn.LeakyReLU(negative_slope=negative_slope)

    def forward(self, x):
        x = self.fc(x)
        x = self.gn(x)
        x = self.leaky_relu(x)
        return x + x


def get_inputs():
    return [torch.rand(BATCH_SIZE, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, NUM_GROUPS]
