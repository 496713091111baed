"""The numeric policy: strict fp32 in every process that computes.

Environment variables are set by kbeval before the host starts (``NVIDIA_TF32_OVERRIDE=0`` makes cuBLAS and cuDNN
refuse TF32 whatever a process asks for); the switches below are PyTorch's own.
"""

from __future__ import annotations

import torch


def apply_numeric_policy() -> None:
    """Switch off TF32 and reduced-precision accumulation; called in every runner after the fork."""
    torch.set_float32_matmul_precision("highest")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = False
