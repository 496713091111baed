import torch
from torch import nn

B_DIM = 8
I_DIM = 256
J_DIM = 512
L_DIM = 256
K_DIM = 768


class Model(nn.Module):
    """Contracts the last dimension of a 4D tensor with a matrix."""

    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return torch.einsum("bijl,lk->bijk", A, B)


def get_inputs():
    return [torch.rand(B_DIM, I_DIM, J_DIM, L_DIM), torch.rand(L_DIM, K_DIM)]


def get_init_inputs():
    return []
