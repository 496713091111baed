import torch
from torch import nn

BATCH_SIZE = 128
IN_CHANNELS = 3
OUT_CHANNELS = 24
DEPTH = 24
HEIGHT = 32
WIDTH = 32
KERNEL_SIZE = 3
NUM_GROUPS = 8


class Model(nn.Module):
    """3D convolution, group normalization, then the mean of each sample."""

    def __init__(self, in_channels, out_channels, kernel_size, num_groups):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)
        self.group_norm = nn.GroupNorm(num_groups, out_channels)

    def forward(self, x):
        x = self.conv(x)
        x = self.group_norm(x)
        return x.mean(dim=[1, 2, 3, 4])


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_CHANNELS, DEPTH, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, NUM_GROUPS]
