import torch
from torch import nn

BATCH_SIZE = 128
IN_FEATURES = 16384
OUT_FEATURES = 16384
DROPOUT_P = 0.2


class Model(nn.Module):
    """Linear layer, dropout, then softmax of each row."""

    def __init__(self, in_features, out_features, dropout_p):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, x):
        x = self.matmul(x)
        x = self.dropout(x)
        return torch.softmax(x, dim=1)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, DROPOUT_P]
