import torch
from torch import nn

BATCH_SIZE = 8
INPUT_CHANNELS = 3
STAGES = 3
BLOCK_WIDTHS = [64, 128, 256]
IMAGE_HEIGHT = 224
IMAGE_WIDTH = 224
OUTPUT_CLASSES = 10


class Model(nn.Module):
    """RegNet-style classifier: stages of two 3x3 convolutions and max pooling, global mean, linear head."""

    def __init__(self, input_channels, stages, block_widths, output_classes):
        super().__init__()
        self.stages = stages
        self.block_widths = block_widths
        layers = []
        channels = input_channels
        for width in block_widths[:stages]:
            layers.append(self._make_stage(channels, width))
            channels = width
        self.feature_extractor = nn.Sequential(*layers)
        self.fc = nn.Linear(channels, output_classes)

    def _make_stage(self, in_channels, out_channels):
        return nn.Sequential(
            nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(),
            nn.Conv2d(out_channels, out_channels, kernel_size=3, padding=1),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=2, stride=2),
        )

    def forward(self, x):
        x = self.feature_extractor(x)
        x = torch.mean(x, dim=[2, 3])
        return self.fc(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, INPUT_CHANNELS, IMAGE_HEIGHT, IMAGE_WIDTH)]


def get_init_inputs():
    return [INPUT_CHANNELS, STAGES, BLOCK_WIDTHS, OUTPUT_CLASSES]
