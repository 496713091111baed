import torch
from torch import nn

BATCH_SIZE = 128
INPUT_SIZE = 16384
LAYER_SIZES = [16384, 16384]
OUTPUT_SIZE = 8192


class Model(nn.Module):
    """Multilayer perceptron: linear layers with ReLU between them."""

    def __init__(self, input_size, layer_sizes, output_size):
        super().__init__()
        layers = []
        width = input_size
        for layer_size in layer_sizes:
            layers += [nn.Linear(width, layer_size), nn.ReLU()]
            width = layer_size
        layers.append(nn.Linear(width, output_size))
        self.network = nn.Sequential(*layers)

    def forward(self, x):
        return self.network(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, LAYER_SIZES, OUTPUT_SIZE]
