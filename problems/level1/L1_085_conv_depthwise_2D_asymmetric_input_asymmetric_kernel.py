import torch
from torch import nn

BATCH_SIZE = 32
IN_CHANNELS = 128
OUT_CHANNELS = 128
KERNEL_SIZE_H = 3
KERNEL_SIZE_W = 7
STRIDE_H = 1
STRIDE_W = 1
PADDING_H = 0
PADDING_W = 0
DILATION_H = 1
DILATION_W = 1
GROUPS = 128
HEIGHT = 128
WIDTH = 256


class Model(nn.Module):
    """Applies a depthwise 2D convolution with an asymmetric kernel to rectangular images."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size_h: int,
        kernel_size_w: int,
        stride_h: int = 1,
        stride_w: int = 1,
        padding_h: int = 0,
        padding_w: int = 0,
        dilation_h: int = 1,
        dilation_w: int = 1,
        groups: int = 1,
        bias: bool = False,
    ):
        super().__init__()
        self.conv2d = nn.Conv2d(
            in_channels,
            out_channels,
            (kernel_size_h, kernel_size_w),
            stride=(stride_h, stride_w),
            padding=(padding_h, padding_w),
            dilation=(dilation_h, dilation_w),
            groups=groups,
            bias=bias,
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv2d(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [
        IN_CHANNELS,
        OUT_CHANNELS,
        KERNEL_SIZE_H,
        KERNEL_SIZE_W,
        STRIDE_H,
        STRIDE_W,
        PADDING_H,
        PADDING_W,
        DILATION_H,
        DILATION_W,
        GROUPS,
    ]
