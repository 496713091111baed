import torch
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 32
NUM_HEADS = 32
SEQUENCE_LENGTH = 512
EMBEDDING_DIMENSION = 1024


class Model(nn.Module):
    """Scaled dot product attention."""

    def __init__(self):
        super().__init__()

    def forward(self, Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(Q, K, V)


def get_inputs():
    return [
        torch.rand(BATCH_SIZE, NUM_HEADS, SEQUENCE_LENGTH, EMBEDDING_DIMENSION),
        torch.rand(BATCH_SIZE, NUM_HEADS, SEQUENCE_LENGTH, EMBEDDING_DIMENSION),
        torch.rand(BATCH_SIZE, NUM_HEADS, SEQUENCE_LENGTH, EMBEDDING_DIMENSION),
    ]


def get_init_inputs():
    return []
