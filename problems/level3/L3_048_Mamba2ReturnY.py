import torch
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 2048
SEQ_LENGTH = 128
N_HEADS = 8
D_HEAD = 64
D_STATE = 16
BLOCK_LEN = 64


class Model(nn.Module):
    """Mamba-2 state space layer computed block by block, returning its output sequence."""

    def __init__(self, batch_size, seq_length, n_heads, d_head, d_state, block_len=64):
        super().__init__()
        assert seq_length % block_len == 0, "the sequence must be a whole number of blocks"
        self.batch_size = batch_size
        self.seq_length = seq_length
        self.n_heads = n_heads
        self.d_head = d_head
        self.d_state = d_state
        self.block_len = block_len
        self.A = nn.Parameter(torch.randn(batch_size, seq_length, n_heads))
        self.B = nn.Parameter(torch.randn(batch_size, seq_length, n_heads, d_state))
        self.C = nn.Parameter(torch.randn(batch_size, seq_length, n_heads, d_state))

    def segsum(self, x):
        """Sums x over every segment: entry (i, j) is x[j + 1] + ... + x[i], and -inf where j > i."""
        length = x.size(-1)
        x_cumsum = torch.cumsum(x, dim=-1)
        sums = x_cumsum[..., :, None] - x_cumsum[..., None, :]
        mask = torch.tril(torch.ones(length, length, device=x.device, dtype=bool), diagonal=0)
        return sums.masked_fill(~mask, -torch.inf)

    def split_blocks(self, x):
        """(batch, length, ...) -> (batch, blocks, block_len, ...)"""
        batch, length, *rest = x.shape
        return x.reshape((batch, length // self.block_len, self.block_len, *rest))

    def forward(self, X, initial_states=None):
        batch, length, heads, d_head = X.shape
        X, A, B, C = (self.split_blocks(t) for t in (X, self.A, self.B, self.C))
        A = A.permute((0, 3, 1, 2))  # (batch, heads, blocks, block_len)
        A_cumsum = torch.cumsum(A, dim=-1)

        # 1. Output of each block on its own.
        L = torch.exp(self.segsum(A))
        Y_diag = torch.einsum("bclhn,bcshn,bhcls,bcshp->bclhp", C, B, L, X)

        # 2. State that each block leaves behind.
        decay_states = torch.exp(A_cumsum[:, :, :, -1:] - A_cumsum)
        states = torch.einsum("bclhn,bhcl,bclhp->bchpn", B, decay_states, X)

        # 3. Recurrence over the blocks.
        if initial_states is None:
            initial_states = torch.zeros_like(states[:, :1])
        states = torch.cat([initial_states, states], dim=1)
        decay_chunk = torch.exp(self.segsum(F.pad(A_cumsum[:, :, :, -1], (1, 0))))
        new_states = torch.einsum("bhzc,bchpn->bzhpn", decay_chunk, states)
        states = new_states[:, :-1]

        # 4. What the state before each block adds to its output.
        state_decay_out = torch.exp(A_cumsum)
        Y_off = torch.einsum("bclhn,bchpn,bhcl->bclhp", C, states, state_decay_out)
        return (Y_diag + Y_off).reshape((batch, length, heads, d_head))


def get_inputs():
    return [torch.rand(BATCH_SIZE, SEQ_LENGTH, N_HEADS, D_HEAD)]


def get_init_inputs():
    return [BATCH_SIZE, SEQ_LENGTH, N_HEADS, D_HEAD, D_STATE, BLOCK_LEN]
