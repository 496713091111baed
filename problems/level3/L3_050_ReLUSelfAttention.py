import math

import torch
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 16
SEQ_LEN = 1024
N_EMBD = 768
N_HEAD = 12
MAX_SEQLEN = 1024


class Model(nn.Module):
    """Multi-head causal self-attention with ReLU in place of softmax and no output projection."""

    def __init__(self, n_embd, n_head, max_seqlen):
        super().__init__()
        assert n_embd % n_head == 0
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)  # part of the state, but not applied
        causal_mask = torch.tril(torch.ones(max_seqlen, max_seqlen))
        self.register_buffer("bias", causal_mask.view(1, 1, max_seqlen, max_seqlen))
        self.n_head = n_head
        self.n_embd = n_embd

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)  # (B, heads, T, head_dim)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)

        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = F.relu(att)
        y = att @ v  # (B, heads, T, head_dim)
        return y.transpose(1, 2).contiguous().view(B, T, C)


def get_inputs():
    return [torch.rand(BATCH_SIZE, SEQ_LEN, N_EMBD)]


def get_init_inputs():
    return [N_EMBD, N_HEAD, MAX_SEQLEN]
