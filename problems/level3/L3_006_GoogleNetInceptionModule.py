import torch
from torch import nn

BATCH_SIZE = 10
IN_CHANNELS = 480
OUT_1X1 = 192
REDUCE_3X3 = 96
OUT_3X3 = 208
REDUCE_5X5 = 16
OUT_5X5 = 48
POOL_PROJ = 64
HEIGHT = 224
WIDTH = 224


class Model(nn.Module):
    """GoogLeNet inception module: 1x1, 3x3, 5x5 and pooling branches, concatenated over channels."""

    def __init__(self, in_channels, out_1x1, reduce_3x3, out_3x3, reduce_5x5, out_5x5, pool_proj):
        super().__init__()
        self.branch1x1 = nn.Conv2d(in_channels, out_1x1, kernel_size=1)
        self.branch3x3 = nn.Sequential(
            nn.Conv2d(in_channels, reduce_3x3, kernel_size=1),
            nn.Conv2d(reduce_3x3, out_3x3, kernel_size=3, padding=1),
        )
        self.branch5x5 = nn.Sequential(
            nn.Conv2d(in_channels, reduce_5x5, kernel_size=1),
            nn.Conv2d(reduce_5x5, out_5x5, kernel_size=5, padding=2),
        )
        self.branch_pool = nn.Sequential(
            nn.MaxPool2d(kernel_size=3, stride=1, padding=1),
            nn.Conv2d(in_channels, pool_proj, kernel_size=1),
        )

    def forward(self, x):
        branches = [self.branch1x1(x), self.branch3x3(x), self.branch5x5(x), self.branch_pool(x)]
        return torch.cat(branches, 1)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_1X1, REDUCE_3X3, OUT_3X3, REDUCE_5X5, OUT_5X5, POOL_PROJ]
