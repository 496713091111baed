import torch
from torch import nn

BATCH_SIZE = 128
IN_FEATURES = 16384
OUT_FEATURES = 16384
CONSTANT = 2.0


class Model(nn.Module):
    """Linear layer, minimum with a learned scalar, then subtracts that scalar."""

    def __init__(self, in_features, out_features, constant):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.constant = nn.Parameter(torch.tensor(constant))

    def forward(self, x):
        x = self.linear(x)
        x = torch.min(x, self.constant)
        return x - self.constant


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, CONSTANT]
