import torch
from torch import nn

BATCH_SIZE = 128
IN_CHANNELS = 3
SQUEEZE_CHANNELS = 6
EXPAND1X1_CHANNELS = 64
EXPAND3X3_CHANNELS = 64
HEIGHT = 256
WIDTH = 256


class Model(nn.Module):
    """SqueezeNet fire module: a 1x1 squeeze, then 1x1 and 3x3 expansions concatenated over channels."""

    def __init__(self, in_channels, squeeze_channels, expand1x1_channels, expand3x3_channels):
        super().__init__()
        self.squeeze = nn.Conv2d(in_channels, squeeze_channels, kernel_size=1)
        self.squeeze_activation = nn.ReLU(inplace=True)
        self.expand1x1 = nn.Conv2d(squeeze_channels, expand1x1_channels, kernel_size=1)
        self.expand1x1_activation = nn.ReLU(inplace=True)
        self.expand3x3 = nn.Conv2d(squeeze_channels, expand3x3_channels, kernel_size=3, padding=1)
        self.expand3x3_activation = nn.ReLU(inplace=True)

    def forward(self, x):
        x = self.squeeze_activation(self.squeeze(x))
        return torch.cat(
            [self.expand1x1_activation(self.expand1x1(x)), self.expand3x3_activation(self.expand3x3(x))], 1
        )


def get_inputs():
    return [torch.rand(BATCH_SIZE, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, SQUEEZE_CHANNELS, EXPAND1X1_CHANNELS, EXPAND3X3_CHANNELS]
