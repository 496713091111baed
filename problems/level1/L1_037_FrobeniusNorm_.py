import torch
from torch import nn

BATCH_SIZE = 112
NUM_FEATURES = 64
HEIGHT = 512
WIDTH = 512


class Model(nn.Module):
    """Divides a tensor by its Frobenius norm."""

    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x / torch.norm(x, p="fro")


def get_inputs():
    return [torch.rand(BATCH_SIZE, NUM_FEATURES, HEIGHT, WIDTH)]


def get_init_inputs():
    return []
