import torch
from torch import nn

BATCH_SIZE = 64
IN_CHANNELS = 8
KERNEL_SIZE = 3
STRIDE = 1
PADDING = 0
DILATION = 1
HEIGHT = 512
WIDTH = 512


class Model(nn.Module):
    """Applies a depthwise 2D convolution whose kernel spans several rows and one column."""

    def __init__(
        self,
        in_channels: int,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        bias: bool = False,
    ):
        super().__init__()
        self.conv2d = nn.Conv2d(
            in_channels,
            in_channels,
            kernel_size=(kernel_size, 1),
            stride=stride,
            padding=padding,
            dilation=dilation,
            groups=in_channels,
            bias=bias,
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv2d(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, DILATION]
