import torch
from torch import nn

BATCH_SIZE = 128
IN_CHANNELS = 64
OUT_CHANNELS = 128
HEIGHT = 128
WIDTH = 128
KERNEL_SIZE = 3
SUBTRACT1_VALUE = 0.5
SUBTRACT2_VALUE = 0.2
KERNEL_SIZE_POOL = 2


class Model(nn.Module):
    """Convolution, subtracts a constant, tanh, subtracts another, then average pooling."""

    def __init__(
        self, in_channels, out_channels, kernel_size, subtract1_value, subtract2_value, kernel_size_pool
    ):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.subtract1_value = subtract1_value
        self.subtract2_value = subtract2_value
        self.avgpool = nn.AvgPool2d(kernel_size_pool)

    def forward(self, x):
        x = self.conv(x)
        x = x - self.subtract1_value
        x = torch.tanh(x)
        x = x - self.subtract2_value
        return self.avgpool(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, SUBTRACT1_VALUE, SUBTRACT2_VALUE, KERNEL_SIZE_POOL]
