import torch
from torch import nn

BATCH_SIZE = 2
EMBED_DIM = 128
NUM_HEADS = 4
HEIGHT = 128
WIDTH = 128


class Model(nn.Module):
    """Self-attention over the pixels of a feature map, with a residual connection and layer normalization."""

    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.attn = nn.MultiheadAttention(embed_dim, num_heads)
        self.norm = nn.LayerNorm(embed_dim)

    def forward(self, x):
        batch, channels, height, width = x.shape
        x = x.view(batch, channels, height * width).permute(2, 0, 1)  # (pixels, batch, channels)
        attended, _ = self.attn(x, x, x)
        x = self.norm(attended + x)
        return x.permute(1, 2, 0).view(batch, channels, height, width)


def get_inputs():
    return [torch.rand(BATCH_SIZE, EMBED_DIM, HEIGHT, WIDTH)]


def get_init_inputs():
    return [EMBED_DIM, NUM_HEADS]
