import torch
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 128
IN_CHANNELS = 32
OUT_CHANNELS = 64
DEPTH = 16
HEIGHT = 16
WIDTH = 16
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
OUTPUT_PADDING = 1


class Model(nn.Module):
    """Transposed 3D convolution, adds a second input, then y * hardswish(y)."""

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, output_padding, bias_shape):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose3d(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            output_padding=output_padding,
        )
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x, add_input):
        x = self.conv_transpose(x)
        x = x + add_input
        return x * F.hardswish(x)


def get_inputs():
    return [
        torch.rand(BATCH_SIZE, IN_CHANNELS, DEPTH, HEIGHT, WIDTH),
        torch.rand(BATCH_SIZE, OUT_CHANNELS, DEPTH * STRIDE, HEIGHT * STRIDE, WIDTH * STRIDE),
    ]


def get_init_inputs():
    return [
        IN_CHANNELS,
        OUT_CHANNELS,
        KERNEL_SIZE,
        STRIDE,
        PADDING,
        OUTPUT_PADDING,
        (OUT_CHANNELS, 1, 1, 1, 1),
    ]
