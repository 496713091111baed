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
    """Multilayer LSTM from a random initial state, then a linear layer on the last step's output."""

    def __init__(self, input_size, hidden_size, num_layers, output_size, dropout=0.0):
        super().__init__()
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers, batch_first=True, dropout=dropout)
        self.fc = nn.Linear(hidden_size, output_size)

    def forward(self, x, h0=None, c0=None):
        state_shape = (self.lstm.num_layers, x.size(0), self.lstm.hidden_size)
        if h0 is None:
            h0 = torch.randn(*state_shape, device=x.device)
        if c0 is None:
            c0 = torch.randn(*state_shape, device=x.device)
        out, _ = self.lstm(x, (h0, c0))
        return self.fc(out[:, -1, :])


def get_inputs():
    return [torch.rand(BATCH_SIZE, SEQUENCE_LENGTH, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, NUM_LAYERS, OUTPUT_SIZE, DROPOUT]
