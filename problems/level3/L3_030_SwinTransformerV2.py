import math

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


class WindowAttention(nn.Module):
    """Cosine attention within windows, with a bias that an MLP makes of log-spaced relative positions."""

    def __init__(self, dim, window_size, num_heads, qkv_bias, attn_drop, proj_drop, pretrained_window_size):
        super().__init__()
        self.dim = dim
        self.window_size = window_size
        self.num_heads = num_heads
        self.logit_scale = nn.Parameter(torch.log(10 * torch.ones((num_heads, 1, 1))))
        self.cpb_mlp = nn.Sequential(
            nn.Linear(2, 512), nn.ReLU(inplace=True), nn.Linear(512, num_heads, bias=False)
        )
        self.register_buffer("relative_coords_table", self._coords_table(pretrained_window_size))
        self.register_buffer("relative_position_index", self._position_index())

        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.q_bias = nn.Parameter(torch.zeros(dim)) if qkv_bias else None
        self.v_bias = nn.Parameter(torch.zeros(dim)) if qkv_bias else None
        self.attn_drop = nn.Dropout(attn_drop)
        self.proj = nn.Linear(dim, dim)
        self.proj_drop = nn.Dropout(proj_drop)
        self.softmax = nn.Softmax(dim=-1)

    def _coords_table(self, pretrained_window_size):
        """Every relative position of two pixels in a window, log-spaced: (1, 2 Wh - 1, 2 Ww - 1, 2)."""
        Wh, Ww = self.window_size
        rows = torch.arange(-(Wh - 1), Wh, dtype=torch.float32)
        columns = torch.arange(-(Ww - 1), Ww, dtype=torch.float32)
        table = torch.stack(torch.meshgrid([rows, columns], indexing="ij"))
        table = table.permute(1, 2, 0).contiguous().unsqueeze(0)
        # Positions count from the window that the weights were trained at, where there was one.
        extent = pretrained_window_size if pretrained_window_size[0] > 0 else self.window_size
        table[:, :, :, 0] /= extent[0] - 1
        table[:, :, :, 1] /= extent[1] - 1
        table *= 8
        return torch.sign(table) * torch.log2(torch.abs(table) + 1.0) / math.log2(8)

    def _position_index(self):
        """Where in the table the relative position of two pixels stands: (Wh * Ww, Wh * Ww)."""
        Wh, Ww = self.window_size
        coords = torch.stack(torch.meshgrid([torch.arange(Wh), torch.arange(Ww)], indexing="ij"))
        coords = torch.flatten(coords, 1)
        relative = coords[:, :, None] - coords[:, None, :]
        relative = relative.permute(1, 2, 0).contiguous()
        relative[:, :, 0] += Wh - 1
        relative[:, :, 1] += Ww - 1
        relative[:, :, 0] *= 2 * Ww - 1
        return relative.sum(-1)

    def position_bias(self):
        """The bias of every head for every pair of positions: (heads, N, N)."""
        N = self.window_size[0] * self.window_size[1]
        table = self.cpb_mlp(self.relative_coords_table).view(-1, self.num_heads)
        bias = table[self.relative_position_index.view(-1)].view(N, N, -1)
        return 16 * torch.sigmoid(bias.permute(2, 0, 1).contiguous())

    def forward(self, x, mask=None):
        B_, N, C = x.shape
        qkv_bias = None
        if self.q_bias is not None:
            k_bias = torch.zeros_like(self.v_bias, requires_grad=False)
            qkv_bias = torch.cat((self.q_bias, k_bias, self.v_bias))
        qkv = F.linear(input=x, weight=self.qkv.weight, bias=qkv_bias)
        qkv = qkv.reshape(B_, N, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]

        attn = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        logit_scale = self.logit_scale.to(x.device)
        max_scale = torch.log(torch.tensor(1.0 / 0.01, device=x.device))
        attn = attn * torch.clamp(logit_scale, max=max_scale).exp()
        attn = attn + self.position_bias().unsqueeze(0)

        if mask is not None:
            nW = mask.shape[0]
            attn = attn.view(B_ // nW, nW, self.num_heads, N, N) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.num_heads, N, N)
        attn = self.softmax(attn)
        attn = self.attn_drop(attn)

        x = (attn @ v).transpose(1, 2).reshape(B_, N, C)
        return self.proj_drop(self.proj(x))


class SwinTransformerBlock(nn.Module):
    """Attention within (possibly shifted) windows, then an MLP, each normalized after it and residual."""

    def __init__(
        self,
        dim,
        input_resolution,
        num_heads,
        window_size,
        shift_size,
        mlp_ratio,
        qkv_bias,
        drop,
        attn_drop,
        norm_layer,
        pretrained_window_size,
    ):
        super().__init__()
        self.input_resolution = input_resolution
        self.window_size = window_size
        self.shift_size = shift_size
        if min(input_resolution) <= window_size:  # one window holds everything: nothing to shift
            self.shift_size = 0
            self.window_size = min(input_resolution)

        self.norm1 = norm_layer(dim)
        self.attn = WindowAttention(
            dim,
            window_size=(self.window_size, self.window_size),
            num_heads=num_heads,
            qkv_bias=qkv_bias,
            attn_drop=attn_drop,
            proj_drop=drop,
            pretrained_window_size=(pretrained_window_size, pretrained_window_size),
        )
        self.drop_path = nn.Identity()
        self.norm2 = norm_layer(dim)
        self.mlp = Mlp(dim, int(dim * mlp_ratio), drop)
        self.register_buffer("attn_mask", self._attention_mask() if self.shift_size > 0 else None)

    def _attention_mask(self):
        """-100 between positions that the shift brought together from different regions: (windows, N, N)."""
        H, W = self.input_resolution
        regions = torch.zeros((1, H, W, 1))
        slices = (
            slice(0, -self.window_size),
            slice(-self.window_size, -self.shift_size),
            slice(-self.shift_size, None),
        )
        region = 0
        for rows in slices:
            for columns in slices:
                regions[:, rows, columns, :] = region
                region += 1
        windows = window_partition(regions, self.window_size).view(-1, self.window_size * self.window_size)
        mask = windows.unsqueeze(1) - windows.unsqueeze(2)
        return mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)

    def forward(self, x):
        H, W = self.input_resolution
        B, L, C = x.shape
        shortcut = x
        x = x.view(B, H, W, C)
        if self.shift_size > 0:
            x = torch.roll(x, shifts=(-self.shift_size, -self.shift_size), dims=(1, 2))

        windows = window_partition(x, self.window_size)
        windows = windows.view(-1, self.window_size * self.window_size, C)
        windows = self.attn(windows, mask=self.attn_mask)
        windows = windows.view(-1, self.window_size, self.window_size, C)
        x = window_reverse(windows, self.window_size, H, W)

        if self.shift_size > 0:
            x = torch.roll(x, shifts=(self.shift_size, self.shift_size), dims=(1, 2))
        x = x.view(B, L, C)

        x = shortcut + self.drop_path(self.norm1(x))
        return x + self.drop_path(self.norm2(self.mlp(x)))


class PatchMerging(nn.Module):
    """Concatenates every 2x2 neighbourhood and halves the channels of the result."""

    def __init__(self, input_resolution, dim, norm_layer):
        super().__init__()
        self.input_resolution = input_resolution
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(2 * dim)

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
        return self.norm(self.reduction(x))


class BasicLayer(nn.Module):
    """Blocks of one stage, every second one shifted, then a downsampling."""

    def __init__(self, dim, input_resolution, depth, window_size, norm_layer, downsample, **block_options):
        super().__init__()
        self.blocks = nn.ModuleList(
            SwinTransformerBlock(
                dim=dim,
                input_resolution=input_resolution,
                window_size=window_size,
                shift_size=0 if i % 2 == 0 else window_size // 2,
                norm_layer=norm_layer,
                **block_options,
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
    """Swin transformer V2: shifted-window cosine attention with a continuous relative position bias."""

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
        qkv_bias=True,
        drop_rate=0.0,
        attn_drop_rate=0.0,
        drop_path_rate=0.1,
        norm_layer=nn.LayerNorm,
        patch_norm=True,
        use_checkpoint=False,
        pretrained_window_sizes=[0, 0, 0, 0],
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
                window_size=window_size,
                norm_layer=norm_layer,
                downsample=PatchMerging if i < self.num_layers - 1 else None,
                num_heads=num_heads[i],
                mlp_ratio=mlp_ratio,
                qkv_bias=qkv_bias,
                drop=drop_rate,
                attn_drop=attn_drop_rate,
                pretrained_window_size=pretrained_window_sizes[i],
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
