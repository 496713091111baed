import torch
from torch import nn

BATCH_SIZE = 1024
INPUT_SIZE = 8192
HIDDEN_LAYER_SIZES = [1024] * 16
OUTPUT_SIZE = 8192


class Model(nn.Module):
    """Deep, narrow multilayer perceptron: linear layers with ReLU between them."""

    def __init__(self, input_size, hidden_layer_sizes, output_size):
        super().__init__()
        layers = []
        width = input_size
        for hidden_size in hidden_layer_sizes:
            layers += [nn.Linear(width, hidden_size), nn.ReLU()]
            width = hidden_size
        layers.append(nn.Linear(width, output_size))
        self.network = nn.Sequential(*layers)

    def forward(self, x):
        return self.network(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_LAYER_SIZES, OUTPUT_SIZE]
