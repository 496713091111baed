import math

import torch
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 128
SEQ_LEN = 512
N_EMBD = 768
N_HEAD = 8
ATTN_PDROP = 0.0
RESID_PDROP = 0.0
MAX_SEQLEN = 1024


class NewGELU(nn.Module):
    """Tanh approximation of GELU."""

    def forward(self, x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


class CausalSelfAttention(nn.Module):
    """Multi-head causal self-attention with one projection for queries, keys and values."""

    def __init__(self, n_embd, n_head, attn_pdrop, resid_pdrop, max_seqlen):
        super().__init__()
        assert n_embd % n_head == 0
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.attn_dropout = nn.Dropout(attn_pdrop)
        self.resid_dropout = nn.Dropout(resid_pdrop)
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
        att = F.softmax(att, dim=-1)
        att = self.attn_dropout(att)
        y = att @ v  # (B, heads, T, head_dim)
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_dropout(self.c_proj(y))


class Model(nn.Module):
    """Transformer block as in minGPT: pre-norm causal self-attention and MLP with residuals."""

    def __init__(self, n_embd, n_head, attn_pdrop, resid_pdrop, max_seqlen):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention(n_embd, n_head, attn_pdrop, resid_pdrop, max_seqlen)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = nn.ModuleDict(
            {
                "c_fc": nn.Linear(n_embd, 4 * n_embd),
                "c_proj": nn.Linear(4 * n_embd, n_embd),
                "act": NewGELU(),
                "dropout": nn.Dropout(resid_pdrop),
            }
        )

    def feed_forward(self, x):
        x = self.mlp["act"](self.mlp["c_fc"](x))
        return self.mlp["dropout"](self.mlp["c_proj"](x))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.feed_forward(self.ln_2(x))


def get_inputs():
    return [torch.rand(BATCH_SIZE, SEQ_LEN, N_EMBD)]


def get_init_inputs():
    return [N_EMBD, N_HEAD, ATTN_PDROP, RESID_PDROP, MAX_SEQLEN]
