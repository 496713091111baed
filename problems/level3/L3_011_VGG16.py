import torch
from torch import nn

BATCH_SIZE = 10
NUM_CLASSES = 1000
IMAGE_SIZE = 224
STAGES = [(64, 2), (128, 2), (256, 3), (512, 3), (512, 3)]  # (channels, convolutions) before each pooling
POOLED_SIZE = 7  # extent that an image of IMAGE_SIZE has after the last pooling
FC_FEATURES = 4096


class Model(nn.Module):
    """VGG-16 image classifier."""

    def __init__(self, num_classes=1000):
        super().__init__()
        layers = []
        channels = 3
        for out_channels, convolutions in STAGES:
            for _ in range(convolutions):
                layers += [nn.Conv2d(channels, out_channels, kernel_size=3, padding=1), nn.ReLU(inplace=True)]
                channels = out_channels
            layers.append(nn.MaxPool2d(kernel_size=2, stride=2))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(
            nn.Linear(channels * POOLED_SIZE * POOLED_SIZE, FC_FEATURES),
            nn.ReLU(inplace=True),
            nn.Dropout(p=0.0),
            nn.Linear(FC_FEATURES, FC_FEATURES),
            nn.ReLU(inplace=True),
            nn.Dropout(p=0.0),
            nn.Linear(FC_FEATURES, num_classes),
        )

    def forward(self, x):
        x = self.features(x)
        x = torch.flatten(x, 1)
        return self.classifier(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, 3, IMAGE_SIZE, IMAGE_SIZE)]


def get_init_inputs():
    return [NUM_CLASSES]
