import torch
from torch import nn

BATCH_SIZE = 2
NUM_CLASSES = 1000
HEIGHT = 224
WIDTH = 224


class Model(nn.Module):
    """EfficientNet-B2-style classifier whose blocks pass on their squeeze-and-excitation gates alone."""

    def __init__(self, num_classes=1000):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, kernel_size=3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(32)
        self.relu = nn.ReLU(inplace=True)
        self.mbconv1 = self._make_mbconv_block(32, 96, stride=1, expand_ratio=3)
        self.mbconv2 = self._make_mbconv_block(96, 144, stride=2, expand_ratio=6)
        self.mbconv3 = self._make_mbconv_block(144, 192, stride=2, expand_ratio=6)
        self.mbconv4 = self._make_mbconv_block(192, 288, stride=2, expand_ratio=6)
        self.mbconv5 = self._make_mbconv_block(288, 384, stride=1, expand_ratio=6)
        self.conv_final = nn.Conv2d(384, 1408, kernel_size=1, bias=False)
        self.bn_final = nn.BatchNorm2d(1408)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(1408, num_classes)

    def _make_mbconv_block(self, in_channels, out_channels, stride, expand_ratio):
        hidden = in_channels * expand_ratio
        layers = []
        if expand_ratio != 1:
            layers += [
                nn.Conv2d(in_channels, hidden, kernel_size=1, bias=False),
                nn.BatchNorm2d(hidden),
                nn.ReLU(inplace=True),
            ]
        layers += [
            nn.Conv2d(hidden, hidden, kernel_size=3, stride=stride, padding=1, groups=hidden, bias=False),
            nn.BatchNorm2d(hidden),
            nn.ReLU(inplace=True),
            # Squeeze and excitation; its gates go on as they are and multiply nothing.
            nn.AdaptiveAvgPool2d((1, 1)),
            nn.Conv2d(hidden, hidden // 4, kernel_size=1, bias=False),
            nn.ReLU(inplace=True),
            nn.Conv2d(hidden // 4, hidden, kernel_size=1, bias=False),
            nn.Sigmoid(),
            nn.Conv2d(hidden, out_channels, kernel_size=1, bias=False),
            nn.BatchNorm2d(out_channels),
        ]
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.mbconv1(x)
        x = self.mbconv2(x)
        x = self.mbconv3(x)
        x = self.mbconv4(x)
        x = self.mbconv5(x)
        x = self.relu(self.bn_final(self.conv_final(x)))
        x = self.avgpool(x)
        x = torch.flatten(x, 1)
        return self.fc(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, 3, HEIGHT, WIDTH)]


def get_init_inputs():
    return [NUM_CLASSES]
