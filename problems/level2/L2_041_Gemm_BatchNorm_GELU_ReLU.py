import torch
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 16384
IN_FEATURES = 4096
OUT_FEATURES = 4096


class Model(nn.Module):
    """Linear layer, batch normalization, GELU, then ReLU."""

    def __init__(self, in_features, out_features):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.batch_norm = nn.BatchNorm1d(out_features)

    def forward(self, x):
        x = self.gemm(x)
        x = self.batch_norm(x)
        x = F.gelu(x)
        return torch.relu(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES]
