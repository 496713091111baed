import torch
from torch import nn

BATCH_SIZE = 128
IN_CHANNELS = 8
OUT_CHANNELS = 32
HEIGHT = 256
WIDTH = 256
KERNEL_SIZE = 3
NUM_GROUPS = 8


class Model(nn.Module):
    """Convolution, a per-channel bias, a per-channel scale, sigmoid, then group normalization."""

    def __init__(self, in_channels, out_channels, kernel_size, num_groups, bias_shape, scale_shape):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.scale = nn.Parameter(torch.randn(scale_shape))
        self.group_norm = nn.GroupNorm(num_groups, out_channels)

    def forward(self, x):
        x = self.conv(x)
        x = x + self.bias
        x = x * self.scale
        x = torch.sigmoid(x)
        return self.group_norm(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, NUM_GROUPS, (OUT_CHANNELS, 1, 1), (OUT_CHANNELS, 1, 1)]
