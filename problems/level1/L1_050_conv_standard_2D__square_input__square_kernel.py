import torch
from torch import nn

BATCH_SIZE = 256
NUM_CLASSES = 1000
HEIGHT = 224
WIDTH = 224


class Model(nn.Module):
    """Applies the first convolution of AlexNet: 96 filters of 11x11 with stride 4."""

    def __init__(self, num_classes=1000):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels=3, out_channels=96, kernel_size=11, stride=4, padding=2)

    def forward(self, x):
        return self.conv1(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, 3, HEIGHT, WIDTH)]


def get_init_inputs():
    return [NUM_CLASSES]
