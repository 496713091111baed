import torch
from torch import nn

BATCH_SIZE = 64
IN_CHANNELS = 128
INPUT_LENGTH = 65536
KERNEL_SIZE = 8
STRIDE = 1
PADDING = 4


class Model(nn.Module):
    """Applies 1D average pooling."""

    def __init__(self, kernel_size: int, stride: int = 1, padding: int = 0):
        super().__init__()
        self.avg_pool = nn.AvgPool1d(kernel_size=kernel_size, stride=stride, padding=padding)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.avg_pool(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_CHANNELS, INPUT_LENGTH)]


def get_init_inputs():
    return [KERNEL_SIZE, STRIDE, PADDING]
