import torch
from torch import nn

BATCH_SIZE = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
DIVISOR = 2.0


class Model(nn.Module):
    """Linear layer, ReLU, then division by a constant."""

    def __init__(self, in_features, out_features, divisor):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.divisor = divisor

    def forward(self, x):
        x = self.linear(x)
        x = torch.relu(x)
        return x / self.divisor


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, DIVISOR]
