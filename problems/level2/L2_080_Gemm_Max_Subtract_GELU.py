import torch
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
MAX_DIM = 1


class Model(nn.Module):
    """Linear layer, maximum over one dimension, subtracts the mean of what is left, then GELU."""

    def __init__(self, in_features, out_features, max_dim):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.max_dim = max_dim

    def forward(self, x):
        x = self.gemm(x)
        x = torch.max(x, dim=self.max_dim, keepdim=True)[0]
        x = x - x.mean(dim=1, keepdim=True)
        return F.gelu(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, MAX_DIM]
