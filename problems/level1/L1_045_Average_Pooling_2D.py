import torch
from torch import nn

BATCH_SIZE = 16
CHANNELS = 64
HEIGHT = 2048
WIDTH = 2048
KERNEL_SIZE = 11


class Model(nn.Module):
    """Applies 2D average pooling."""

    def __init__(self, kernel_size: int, stride: int = None, padding: int = 0):
        super().__init__()
        self.avg_pool = nn.AvgPool2d(kernel_size=kernel_size, stride=stride, padding=padding)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.avg_pool(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [KERNEL_SIZE]
