import torch
from torch import nn

BATCH_SIZE = 128
NUM_INPUT_FEATURES = 32
NUM_OUTPUT_FEATURES = 64
HEIGHT = 256
WIDTH = 256


class Model(nn.Module):
    """DenseNet-121 transition layer: batch normalization, ReLU, 1x1 convolution, average pooling."""

    def __init__(self, num_input_features: int, num_output_features: int):
        super().__init__()
        self.transition = nn.Sequential(
            nn.BatchNorm2d(num_input_features),
            nn.ReLU(inplace=True),
            nn.Conv2d(num_input_features, num_output_features, kernel_size=1, bias=False),
            nn.AvgPool2d(kernel_size=2, stride=2),
        )

    def forward(self, x):
        return self.transition(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, NUM_INPUT_FEATURES, HEIGHT, WIDTH)]


def get_init_inputs():
    return [NUM_INPUT_FEATURES, NUM_OUTPUT_FEATURES]
