import torch
from torch import nn

BATCH_SIZE = 112
NUM_FEATURES = 64
NUM_GROUPS = 8
HEIGHT = 512
WIDTH = 512


class Model(nn.Module):
    """Applies group normalization with learned scale and shift per channel."""

    def __init__(self, num_features: int, num_groups: int):
        super().__init__()
        self.gn = nn.GroupNorm(num_groups=num_groups, num_channels=num_features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.gn(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, NUM_FEATURES, HEIGHT, WIDTH)]


def get_init_inputs():
    return [NUM_FEATURES, NUM_GROUPS]
