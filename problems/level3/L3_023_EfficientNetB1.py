import torch
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 10
NUM_CLASSES = 1000
HEIGHT = 240
WIDTH = 240


class Model(nn.Module):
    """EfficientNet-B1 image classifier with one inverted bottleneck for each stage."""

    def __init__(self, num_classes=1000):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, kernel_size=3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(32)
        self.mbconv1 = self._make_mbconv_block(32, 16, stride=1, expand_ratio=1)
        self.mbconv2 = self._make_mbconv_block(16, 24, stride=2, expand_ratio=6)
        self.mbconv3 = self._make_mbconv_block(24, 40, stride=2, expand_ratio=6)
        self.mbconv4 = self._make_mbconv_block(40, 80, stride=2, expand_ratio=6)
        self.mbconv5 = self._make_mbconv_block(80, 112, stride=1, expand_ratio=6)
        self.mbconv6 = self._make_mbconv_block(112, 192, stride=2, expand_ratio=6)
        self.mbconv7 = self._make_mbconv_block(192, 320, stride=1, expand_ratio=6)
        self.conv2 = nn.Conv2d(320, 1280, kernel_size=1, bias=False)
        self.bn2 = nn.BatchNorm2d(1280)
        self.fc = nn.Linear(1280, num_classes)

    def _make_mbconv_block(self, in_channels, out_channels, stride, expand_ratio):
        hidden = round(in_channels * expand_ratio)
        return nn.Sequential(
            nn.Conv2d(in_channels, hidden, kernel_size=1, bias=False),
            nn.BatchNorm2d(hidden),
            nn.ReLU6(inplace=True),
            nn.Conv2d(hidden, hidden, kernel_size=3, stride=stride, padding=1, groups=hidden, bias=False),
            nn.BatchNorm2d(hidden),
            nn.ReLU6(inplace=True),
            nn.Conv2d(hidden, out_channels, kernel_size=1, bias=False),
            nn.BatchNorm2d(out_channels),
        )

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.mbconv1(x)
        x = self.mbconv2(x)
        x = self.mbconv3(x)
        x = self.mbconv4(x)
        x = self.mbconv5(x)
        x = self.mbconv6(x)
        x = self.mbconv7(x)
        x = F.relu(self.bn2(self.conv2(x)))
        x = F.adaptive_avg_pool2d(x, (1, 1))
        x = torch.flatten(x, 1)
        return self.fc(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, 3, HEIGHT, WIDTH)]


def get_init_inputs():
    return [NUM_CLASSES]
