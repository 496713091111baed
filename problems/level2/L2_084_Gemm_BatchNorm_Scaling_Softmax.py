import torch
from torch import nn

BATCH_SIZE = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
BN_EPS = 1e-05
BN_MOMENTUM = 0.1
SCALE_SHAPE = (1,)


class Model(nn.Module):
    """Linear layer, batch normalization, a learned scale, then softmax of each row."""

    def __init__(self, in_features, out_features, bn_eps=1e-05, bn_momentum=0.1, scale_shape=(1,)):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.bn = nn.BatchNorm1d(out_features, eps=bn_eps, momentum=bn_momentum)
        self.scale = nn.Parameter(torch.ones(scale_shape))
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        x = self.gemm(x)
        x = self.bn(x)
        x = self.scale * x
        return self.softmax(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, BN_EPS, BN_MOMENTUM, SCALE_SHAPE]
