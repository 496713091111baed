import torch
from torch import nn

BATCH_SIZE = 16
FEATURES = 64
DIM1 = 256
DIM2 = 256


class Model(nn.Module):
    """Applies layer normalization over channels, height and width with learned scale and shift."""

    def __init__(self, normalized_shape: tuple):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape=normalized_shape)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.ln(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, FEATURES, DIM1, DIM2)]


def get_init_inputs():
    return [(FEATURES, DIM1, DIM2)]
