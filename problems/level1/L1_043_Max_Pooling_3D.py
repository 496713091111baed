import torch
from torch import nn

BATCH_SIZE = 16
CHANNELS = 32
DIM1 = 128
DIM2 = 128
DIM3 = 128
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
DILATION = 3


class Model(nn.Module):
    """Applies dilated 3D max pooling."""

    def __init__(
        self,
        kernel_size: int,
        stride: int = None,
        padding: int = 0,
        dilation: int = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ):
        super().__init__()
        self.maxpool = nn.MaxPool3d(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            return_indices=return_indices,
            ceil_mode=ceil_mode,
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.maxpool(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, CHANNELS, DIM1, DIM2, DIM3)]


def get_init_inputs():
    return [KERNEL_SIZE, STRIDE, PADDING, DILATION]
