import torch
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 4096
DIM = 393216
ALPHA = 1.0


class Model(nn.Module):
    """Applies ELU elementwise."""

    def __init__(self, alpha: float = 1.0):
        super().__init__()
        self.alpha = alpha

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.elu(x, alpha=self.alpha)


def get_inputs():
    return [torch.rand(BATCH_SIZE, DIM)]


def get_init_inputs():
    return [ALPHA]
