import torch
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 4096
DIM = 393216


class Model(nn.Module):
    """Applies leaky ReLU elementwise."""

    def __init__(self, negative_slope: float = 0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.leaky_relu(x, negative_slope=self.negative_slope)


def get_inputs():
    return [torch.rand(BATCH_SIZE, DIM)]


def get_init_inputs():
    return []
