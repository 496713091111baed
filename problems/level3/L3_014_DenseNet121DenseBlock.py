import torch
from torch import nn

BATCH_SIZE = 10
NUM_LAYERS = 6
NUM_INPUT_FEATURES = 32
GROWTH_RATE = 32
HEIGHT = 224
WIDTH = 224


class Model(nn.Module):
    """DenseNet-121 dense block: every layer reads the concatenation of all features before it."""

    def __init__(self, num_layers: int, num_input_features: int, growth_rate: int):
        super().__init__()
        self.layers = nn.ModuleList(
            self._make_layer(num_input_features + i * growth_rate, growth_rate) for i in range(num_layers)
        )

    def _make_layer(self, in_features, growth_rate):
        return nn.Sequential(
            nn.BatchNorm2d(in_features),
            nn.ReLU(inplace=True),
            nn.Conv2d(in_features, growth_rate, kernel_size=3, padding=1, bias=False),
            nn.Dropout(0.0),
        )

    def forward(self, x):
        features = [x]
        for layer in self.layers:
            features.append(layer(x))
            x = torch.cat(features, 1)
        return x


def get_inputs():
    return [torch.rand(BATCH_SIZE, NUM_INPUT_FEATURES, HEIGHT, WIDTH)]


def get_init_inputs():
    return [NUM_LAYERS, NUM_INPUT_FEATURES, GROWTH_RATE]
