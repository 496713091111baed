import torch
from torch import nn

BATCH_SIZE = 32768
DIM = 32768


class Model(nn.Module):
    """Hinge loss of predictions against targets of -1 and 1."""

    def __init__(self):
        super().__init__()

    def forward(self, predictions, targets):
        return torch.mean(torch.clamp(1 - predictions * targets, min=0))


def get_inputs():
    predictions = torch.rand(BATCH_SIZE, DIM)
    targets = torch.randint(0, 2, (BATCH_SIZE,)).float() * 2 - 1
    return [predictions, targets]


def get_init_inputs():
    return []
