import torch
from torch import nn

BATCH_SIZE = 8
IN_CHANNELS = 32
OUT_CHANNELS = 32
KERNEL_SIZE = (3, 7)
STRIDE = (1, 1)
PADDING = (1, 3)
HEIGHT = 512
WIDTH = 1024


class Model(nn.Module):
    """Applies a padded transposed 2D convolution with an asymmetric kernel to rectangular images."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple,
        stride: tuple = (1, 1),
        padding: tuple = (0, 0),
        bias: bool = False,
    ):
        super().__init__()
        self.conv_transpose2d = nn.ConvTranspose2d(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            bias=bias,
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv_transpose2d(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING]
