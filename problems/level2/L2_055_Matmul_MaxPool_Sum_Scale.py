import torch
from torch import nn

BATCH_SIZE = 128
IN_FEATURES = 32768
OUT_FEATURES = 32768
KERNEL_SIZE = 2
SCALE_FACTOR = 0.5


class Model(nn.Module):
    """Linear layer, max pooling along the features, sum of each row, then scaling."""

    def __init__(self, in_features, out_features, kernel_size, scale_factor):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.max_pool = nn.MaxPool1d(kernel_size)
        self.scale_factor = scale_factor

    def forward(self, x):
        x = self.matmul(x)
        x = self.max_pool(x.unsqueeze(1)).squeeze(1)
        x = torch.sum(x, dim=1)
        return x * self.scale_factor


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, KERNEL_SIZE, SCALE_FACTOR]
