import torch
from torch import nn

BATCH_SIZE = 32
CHANNELS = 64
HEIGHT = 512
WIDTH = 512
KERNEL_SIZE = 4
STRIDE = 1
PADDING = 1
DILATION = 1


class Model(nn.Module):
    """Applies 2D max pooling."""

    def __init__(self, kernel_size: int, stride: int, padding: int, dilation: int):
        super().__init__()
        self.maxpool = nn.MaxPool2d(
            kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.maxpool(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [KERNEL_SIZE, STRIDE, PADDING, DILATION]
