import torch
from torch import nn

BATCH_SIZE = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192


class Model(nn.Module):
    """Linear layer, normalizes each row, adds a second input, then multiplies by it."""

    def __init__(self, in_features, out_features, eps=1e-05, momentum=0.1):
        super().__init__()
        self.bmm = nn.Linear(in_features, out_features)
        self.instance_norm = nn.InstanceNorm2d(out_features, eps=eps, momentum=momentum)

    def forward(self, x, y):
        x = self.bmm(x)
        x = self.instance_norm(x.unsqueeze(1).unsqueeze(1)).squeeze(1).squeeze(1)
        x = x + y
        return x * y


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES), torch.rand(BATCH_SIZE, OUT_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES]
