import torch
from torch import nn

BATCH_SIZE = 32768
IN_FEATURES = 1024
OUT_FEATURES = 4096
NUM_GROUPS = 64


class Model(nn.Module):
    """Linear layer, Swish, adds a learned bias, then group normalization."""

    def __init__(self, in_features, out_features, num_groups, bias_shape):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.group_norm = nn.GroupNorm(num_groups, out_features)

    def forward(self, x):
        x = self.matmul(x)
        x = torch.sigmoid(x) * x
        x = x + self.bias
        return self.group_norm(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, NUM_GROUPS, (OUT_FEATURES,)]
