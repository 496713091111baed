import torch
from torch import nn

BATCH_SIZE = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
BN_EPS = 1e-5
BN_MOMENTUM = 0.1
BIAS_SHAPE = (1,)
DIVIDE_VALUE = 1.0


class Model(nn.Module):
    """Linear layer, batch normalization, adds a learned bias, divides by a constant, then Swish."""

    def __init__(
        self, in_features, out_features, bn_eps=1e-05, bn_momentum=0.1, bias_shape=(1,), divide_value=1.0
    ):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.bn = nn.BatchNorm1d(out_features, eps=bn_eps, momentum=bn_momentum)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.divide_value = divide_value

    def forward(self, x):
        x = self.matmul(x)
        x = self.bn(x)
        x = x + self.bias
        x = x / self.divide_value
        return x * torch.sigmoid(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, BN_EPS, BN_MOMENTUM, BIAS_SHAPE, DIVIDE_VALUE]
