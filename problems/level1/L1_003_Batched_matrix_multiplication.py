import torch
from torch import nn

BATCH_SIZE = 128
M = 512
K = 1024
N = 2048


class Model(nn.Module):
    """Multiplies two batches of matrices: C[b] = A[b] @ B[b]."""

    def __init__(self):
        super().__init__()

    def forward(self, A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
        return torch.bmm(A, B)


def get_inputs():
    return [torch.rand(BATCH_SIZE, M, K), torch.rand(BATCH_SIZE, K, N)]


def get_init_inputs():
    return []
