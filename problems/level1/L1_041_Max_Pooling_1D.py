import torch
from torch import nn

BATCH_SIZE = 64
FEATURES = 192
SEQUENCE_LENGTH = 65536
KERNEL_SIZE = 8
STRIDE = 1
PADDING = 4
DILATION = 3
RETURN_INDICES = False


class Model(nn.Module):
    """Applies dilated 1D max pooling."""

    def __init__(
        self,
        kernel_size: int,
        stride: int = None,
        padding: int = 0,
        dilation: int = 1,
        return_indices: bool = False,
    ):
        super().__init__()
        self.maxpool = nn.MaxPool1d(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            return_indices=return_indices,
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.maxpool(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, FEATURES, SEQUENCE_LENGTH)]


def get_init_inputs():
    return [KERNEL_SIZE, STRIDE, PADDING, DILATION, RETURN_INDICES]
