import torch
from torch import nn

BATCH_SIZE = 16
IN_CHANNELS = 16
OUT_CHANNELS = 64
DEPTH = 32
HEIGHT = 128
WIDTH = 128
KERNEL_SIZE = 3
STRIDE = 1
PADDING = 1
SCALING_FACTOR = 2.0


class Model(nn.Module):
    """Transposed 3D convolution, mean over depth, a per-channel bias, channel softmax, tanh, then scaling."""

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, scaling_factor):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose3d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding
        )
        self.bias = nn.Parameter(torch.randn(1, out_channels, 1, 1, 1))
        self.scaling_factor = scaling_factor

    def forward(self, x):
        x = self.conv_transpose(x)
        x = x.mean(dim=2, keepdim=True)
        x = x + self.bias
        x = torch.softmax(x, dim=1)
        x = torch.tanh(x)
        return x * self.scaling_factor


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_CHANNELS, DEPTH, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, SCALING_FACTOR]
