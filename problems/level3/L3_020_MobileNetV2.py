import torch
from torch import nn

BATCH_SIZE = 10
NUM_CLASSES = 1000
HEIGHT = 224
WIDTH = 224
# (expansion, output channels, blocks, stride of the first block) of each stage
STAGES = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]


def inverted_bottleneck(in_channels, out_channels, stride, expand_ratio):
    hidden = in_channels * expand_ratio
    layers = []
    if expand_ratio != 1:
        layers += [
            nn.Conv2d(in_channels, hidden, kernel_size=1, bias=False),
            nn.BatchNorm2d(hidden),
            nn.ReLU6(inplace=True),
        ]
    layers += [
        nn.Conv2d(hidden, hidden, kernel_size=3, stride=stride, padding=1, groups=hidden, bias=False),
        nn.BatchNorm2d(hidden),
        nn.ReLU6(inplace=True),
        nn.Conv2d(hidden, out_channels, kernel_size=1, bias=False),
        nn.BatchNorm2d(out_channels),
    ]
    return nn.Sequential(*layers)


class Model(nn.Module):
    """MobileNetV2 image classifier: inverted bottlenecks, here without their residual connections."""

    def __init__(self, num_classes=1000):
        super().__init__()
        layers = [
            nn.Conv2d(3, 32, kernel_size=3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU6(inplace=True),
        ]
        channels = 32
        for expand_ratio, out_channels, blocks, stride in STAGES:
            for i in range(blocks):
                layers.append(
                    inverted_bottleneck(channels, out_channels, stride if i == 0 else 1, expand_ratio)
                )
                channels = out_channels
        layers += [
            nn.Conv2d(channels, 1280, kernel_size=1, bias=False),
            nn.BatchNorm2d(1280),
            nn.ReLU6(inplace=True),
            nn.AdaptiveAvgPool2d((1, 1)),
        ]
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(0.0), nn.Linear(1280, num_classes))

    def forward(self, x):
        x = self.features(x)
        x = x.view(x.size(0), -1)
        return self.classifier(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, 3, HEIGHT, WIDTH)]


def get_init_inputs():
    return [NUM_CLASSES]
