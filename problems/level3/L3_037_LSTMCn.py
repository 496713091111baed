import torch
from torch import nn

BATCH_SIZE = 10
SEQUENCE_LENGTH = 512
INPUT_SIZE = 128
HIDDEN_SIZE = 256
NUM_LAYERS = 6
OUTPUT_SIZE = 10
DROPOUT = 0.0


class Model(nn.Module):
    """Multilayer LSTM, returning the final cell state of every layer."""

    def __init__(self, input_size, hidden_size, num_layers, output_size, dropout=0.0):
        super().__init__()
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers, batch_first=True, dropout=dropout)
        self.fc = nn.Linear(hidden_size, output_size)

    def forward(self, x, h0, c0):
        out, (_, c_n) = self.lstm(x, (h0, c0))
        self.fc(out[:, -1, :])  # the prediction, which is not returned
        return c_n


def get_inputs():
    return [
        torch.rand(BATCH_SIZE, SEQUENCE_LENGTH, INPUT_SIZE),
        torch.rand((NUM_LAYERS, BATCH_SIZE, HIDDEN_SIZE)),
        torch.rand((NUM_LAYERS, BATCH_SIZE, HIDDEN_SIZE)),
    ]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, NUM_LAYERS, OUTPUT_SIZE, DROPOUT]
