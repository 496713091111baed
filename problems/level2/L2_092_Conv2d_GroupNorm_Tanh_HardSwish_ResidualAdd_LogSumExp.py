import torch
from torch import nn

BATCH_SIZE = 128
IN_CHANNELS = 8
OUT_CHANNELS = 64
HEIGHT = 128
WIDTH = 128
KERNEL_SIZE = 3
GROUPS = 16


class Model(nn.Module):
    """Convolution y, then log-sum-exp over channels of y + hardswish(tanh(group_norm(y)))."""

    def __init__(self, in_channels, out_channels, kernel_size, groups, eps=1e-05):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.group_norm = nn.GroupNorm(groups, out_channels, eps=eps)
        self.tanh = nn.Tanh()
        self.hard_swish = nn.Hardswish()

    def forward(self, x):
        x_conv = self.conv(x)
        x = self.group_norm(x_conv)
        x = self.tanh(x)
        x = self.hard_swish(x)
        x = x_conv + x
        return torch.logsumexp(x, dim=1, keepdim=True)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, GROUPS]
