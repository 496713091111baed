import torch
from torch import nn

BATCH_SIZE = 64
NUM_FEATURES = 64
HEIGHT = 512
WIDTH = 512


class Model(nn.Module):
    """Applies batch normalization over the channels of an image batch."""

    def __init__(self, num_features: int):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features=num_features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.bn(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, NUM_FEATURES, HEIGHT, WIDTH)]


def get_init_inputs():
    return [NUM_FEATURES]
