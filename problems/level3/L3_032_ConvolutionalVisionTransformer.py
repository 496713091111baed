import torch
from torch import nn

BATCH_SIZE = 10
NUM_CLASSES = 1000
EMBED_DIM = 128
NUM_HEADS = 4


class Model(nn.Module):
    """Convolutional vision transformer: a token for the whole image, a class token, transformer layers."""

    def __init__(
        self,
        num_classes,
        embed_dim=512,
        num_heads=8,
        num_layers=6,
        mlp_ratio=4.0,
        patch_size=4,
        in_channels=3,
        image_size=32,
    ):
        super().__init__()
        self.patch_size = patch_size
        self.image_size = image_size
        self.embed_dim = embed_dim
        self.conv1 = nn.Conv2d(in_channels, embed_dim, kernel_size=patch_size, stride=patch_size)
        num_patches = (image_size // patch_size) ** 2
        self.linear_proj = nn.Linear(embed_dim * num_patches, embed_dim)
        self.transformer_layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model=embed_dim,
                nhead=num_heads,
                dim_feedforward=int(embed_dim * mlp_ratio),
                dropout=0.0,
                batch_first=True,
            )
            for _ in range(num_layers)
        )
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.fc_out = nn.Linear(embed_dim, num_classes)

    def forward(self, x):
        x = self.conv1(x)
        x = x.flatten(start_dim=1)
        x = self.linear_proj(x)
        cls_tokens = self.cls_token.expand(x.size(0), -1, -1)
        x = torch.cat((cls_tokens, x.unsqueeze(1)), dim=1)
        for layer in self.transformer_layers:
            x = layer(x)
        return self.fc_out(x[:, 0])


def get_inputs():
    return [torch.rand(BATCH_SIZE, 3, 32, 32)]


def get_init_inputs():
    return [NUM_CLASSES, EMBED_DIM, NUM_HEADS]
