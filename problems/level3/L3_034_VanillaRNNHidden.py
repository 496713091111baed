import torch
from torch import nn

BATCH_SIZE = 8
SEQ_LEN = 256
INPUT_SIZE = 1024
HIDDEN_SIZE = 256
OUTPUT_SIZE = 128


class Model(nn.Module):
    """Vanilla RNN over a whole sequence, returning the output of every step."""

    def __init__(self, input_size: int, hidden_size: int, output_size: int):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.output_size = output_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)
        self.tanh = nn.Tanh()

    def forward(self, x: torch.Tensor, h0: torch.Tensor) -> torch.Tensor:
        hidden = h0.to(x.device)
        outputs = []
        for t in range(x.shape[0]):
            combined = torch.cat((x[t], hidden), dim=1)
            hidden = self.tanh(self.i2h(combined))
            outputs.append(self.h2o(hidden))
        return torch.stack(outputs, dim=0)


def get_inputs():
    return [torch.rand(SEQ_LEN, BATCH_SIZE, INPUT_SIZE), torch.rand(BATCH_SIZE, HIDDEN_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, OUTPUT_SIZE]
