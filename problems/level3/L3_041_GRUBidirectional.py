import torch
from torch import nn

BATCH_SIZE = 10
SEQ_LEN = 512
INPUT_SIZE = 128
HIDDEN_SIZE = 256
NUM_LAYERS = 6


class Model(nn.Module):
    """Multilayer bidirectional GRU, returning the output of every step."""

    def __init__(self, input_size, hidden_size, num_layers=3, bias=True, batch_first=False):
        super().__init__()
        self.gru = nn.GRU(input_size, hidden_size, num_layers, batch_first=batch_first, bidirectional=True)
        self.h0 = torch.randn((num_layers * 2, BATCH_SIZE, hidden_size))

    def forward(self, x, h0):
        output, _ = self.gru(x, h0)
        return output


def get_inputs():
    return [
        torch.rand(SEQ_LEN, BATCH_SIZE, INPUT_SIZE),
        torch.rand((NUM_LAYERS * 2, BATCH_SIZE, HIDDEN_SIZE)),
    ]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, NUM_LAYERS]
