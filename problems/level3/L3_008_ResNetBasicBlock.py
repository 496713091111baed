import torch
from torch import nn

BATCH_SIZE = 10
IN_CHANNELS = 3
OUT_CHANNELS = 64
STRIDE = 1
HEIGHT = 224
WIDTH = 224
EXPANSION = 1


class Model(nn.Module):
    """ResNet basic block: two 3x3 convolutions with batch normalization, added to a projected shortcut."""

    def __init__(self, in_channels, out_channels, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(out_channels)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(out_channels, out_channels, kernel_size=3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(out_channels)
        self.downsample = nn.Sequential(
            nn.Conv2d(in_channels, out_channels * EXPANSION, kernel_size=1, stride=stride, bias=False),
            nn.BatchNorm2d(out_channels * EXPANSION),
        )

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.downsample(x)
        return self.relu(out)


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, STRIDE]
