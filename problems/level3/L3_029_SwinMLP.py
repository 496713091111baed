import torch
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 10
IMAGE_SIZE = 224


def window_partition(x, window_size):
    """(B, H, W, C) -> (B * windows, window_size, window_size, C)"""
    B, H, W, C = x.shape
    x = x.view(B, H // window_size, window_size, W // window_size, window_size, C)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, window_size, window_size, C)


def window_reverse(windows, window_size, H, W):
    """(B * windows, window_size, window_size, C) -> (B, H, W, C)"""
    B = windows.shape[0] // (H * W // window_size // window_size)
    x = windows.view(B, H // window_size, W // window_size, window_size, window_size, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(B, H, W, -1)


class Mlp(nn.Module):
    """Two linear layers with GELU between them."""

    def __init__(self, in_features, hidden_features, drop=0.0):
        super().__init__()
        self.fc1 = nn.Linear(in_features, hidden_features)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(hidden_features, in_features)
        self.drop = nn.Dropout(drop)

    def forward(self, x):
        x = self.drop(self.act(self.fc1(x)))
        return self.drop(self.fc2(x))


class SwinMLPBlock(nn.Module):
    """Mixes the positions of each (possibly shifted) window head by head, then the channels."""

    def __init__(
        self, dim, input_resolution, num_heads, window_size, shift_size, mlp_ratio, drop, norm_layer
    ):
        super().__init__()
        self.dim = dim
        self.input_resolution = input_resolution
        self.num_heads = num_heads
        self.window_size = window_size
        self.shift_size = shift_size
        if min(input_resolution) <= window_size:  # one window holds everything: nothing to shift
            self.shift_size = 0
            self.window_size = min(input_resolution)
        # left, right, top, bottom
        before, after = self.window_size - self.shift_size, self.shift_size
        self.padding = [before, after, before, after]

        self.norm1 = norm_layer(dim)
        positions = num_heads * self.window_size**2
        self.spatial_mlp = nn.Conv1d(positions, positions, kernel_size=1, groups=num_heads)
        self.drop_path = nn.Identity()
        self.norm2 = norm_layer(dim)
        self.mlp = Mlp(dim, int(dim * mlp_ratio), drop)

    def mix_windows(self, windows):
        """Mixes the positions of (n, positions, C) windows, for each head by its own weights."""
        positions, head_dim = self.window_size**2, self.dim // self.num_heads
        heads = windows.view(-1, positions, self.num_heads, head_dim).transpose(1, 2)
        heads = heads.reshape(-1, self.num_heads * positions, head_dim)
        mixed = self.spatial_mlp(heads).view(-1, self.num_heads, positions, head_dim).transpose(1, 2)
        return mixed.reshape(-1, positions, self.dim)

    def forward(self, x):
        H, W = self.input_resolution
        B, L, C = x.shape
        shortcut = x
        x = self.norm1(x)
        x = x.view(B, H, W, C)

        left, right, top, bottom = self.padding
        if self.shift_size > 0:
            x = F.pad(x, [0, 0, left, right, top, bottom], "constant", 0)
        padded_h, padded_w = x.shape[1:3]

        windows = window_partition(x, self.window_size)
        windows = windows.view(-1, self.window_size * self.window_size, C)
        windows = self.mix_windows(windows)
        windows = windows.reshape(-1, self.window_size, self.window_size, C)
        x = window_reverse(windows, self.window_size, padded_h, padded_w)

        if self.shift_size > 0:
            x = x[:, top:-bottom, left:-right, :].contiguous()
        x = x.view(B, L, C)

        x = shortcut + self.drop_path(x)
        return x + self.drop_path(self.mlp(self.norm2(x)))


class PatchMerging(nn.Module):
    """Concatenates every 2x2 neighbourhood and halves the channels of the result."""

    def __init__(self, input_resolution, dim, norm_layer):
        super().__init__()
        self.input_resolution = input_resolution
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(4 * dim)

    def forward(self, x):
        H, W = self.input_resolution
        B, _, C = x.shape
        x = x.view(B, H, W, C)
        x0 = x[:, 0::2, 0::2, :]
        x1 = x[:, 1::2, 0::2, :]
        x2 = x[:, 0::2, 1::2, :]
        x3 = x[:, 1::2, 1::2, :]
        x = torch.cat([x0, x1, x2, x3], -1)
        x = x.view(B, -1, 4 * C)
        return self.reduction(self.norm(x))


class BasicLayer(nn.Module):
    """Blocks of one stage, every second one shifted, then a downsampling."""

    def __init__(
        self, dim, input_resolution, depth, num_heads, window_size, mlp_ratio, drop, norm_layer, downsample
    ):
        super().__init__()
        self.blocks = nn.ModuleList(
            SwinMLPBlock(
                dim=dim,
                input_resolution=input_resolution,
                num_heads=num_heads,
                window_size=window_size,
                shift_size=0 if i % 2 == 0 else window_size // 2,
                mlp_ratio=mlp_ratio,
                drop=drop,
                norm_layer=norm_layer,
            )
            for i in range(depth)
        )
        self.downsample = downsample(input_resolution, dim, norm_layer) if downsample else None

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x if self.downsample is None else self.downsample(x)


class PatchEmbed(nn.Module):
    """Embeds every patch of the image."""

    def __init__(self, img_size, patch_size, in_chans, embed_dim, norm_layer):
        super().__init__()
        self.patches_resolution = (img_size // patch_size, img_size // patch_size)
        self.proj = nn.Conv2d(in_chans, embed_dim, kernel_size=patch_size, stride=patch_size)
        self.norm = norm_layer(embed_dim) if norm_layer else None

    def forward(self, x):
        x = self.proj(x).flatten(2).transpose(1, 2)  # (B, patches, C)
        return x if self.norm is None else self.norm(x)


class Model(nn.Module):
    """Swin MLP: a Swin transformer whose windows are mixed by grouped convolutions in place of attention."""

    def __init__(
        self,
        img_size=224,
        patch_size=4,
        in_chans=3,
        num_classes=1000,
        embed_dim=96,
        depths=[2, 2, 6, 2],
        num_heads=[3, 6, 12, 24],
        window_size=7,
        mlp_ratio=4.0,
        drop_rate=0.0,
        drop_path_rate=0.1,
        norm_layer=nn.LayerNorm,
        patch_norm=True,
        use_checkpoint=False,
        **kwargs,
    ):
        super().__init__()
        self.num_layers = len(depths)
        self.num_features = int(embed_dim * 2 ** (self.num_layers - 1))
        self.patch_embed = PatchEmbed(
            img_size, patch_size, in_chans, embed_dim, norm_layer if patch_norm else None
        )
        height, width = self.patch_embed.patches_resolution
        self.pos_drop = nn.Dropout(p=drop_rate)
        self.layers = nn.ModuleList(
            BasicLayer(
                dim=int(embed_dim * 2**i),
                input_resolution=(height // 2**i, width // 2**i),
                depth=depths[i],
                num_heads=num_heads[i],
                window_size=window_size,
                mlp_ratio=mlp_ratio,
                drop=drop_rate,
                norm_layer=norm_layer,
                downsample=PatchMerging if i < self.num_layers - 1 else None,
            )
            for i in range(self.num_layers)
        )
        self.norm = norm_layer(self.num_features)
        self.avgpool = nn.AdaptiveAvgPool1d(1)
        self.head = nn.Linear(self.num_features, num_classes) if num_classes > 0 else nn.Identity()

    def forward(self, x):
        x = self.patch_embed(x)
        x = self.pos_drop(x)
        for layer in self.layers:
            x = layer(x)
        x = self.norm(x)  # (B, positions, C)
        x = self.avgpool(x.transpose(1, 2))
        x = torch.flatten(x, 1)
        return self.head(x)


def get_inputs():
    return [torch.rand(BATCH_SIZE, 3, IMAGE_SIZE, IMAGE_SIZE)]


def get_init_inputs():
    return []
