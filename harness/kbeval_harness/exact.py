"""The reference in float64, and how far float32 outputs are from it."""

from __future__ import annotations

from typing import Any

import torch

CHUNK = 1 << 24  # elements compared at once: bounds the temporaries


def upcast(value: torch.Tensor) -> torch.Tensor:
    if value.is_complex():
        return value.to(torch.complex128)
    return value.double() if value.is_floating_point() else value


def exact_outputs(model: torch.nn.Module, arguments: list[Any]) -> Any:
    """What ``model`` computes in float64. Constants that its forward makes are float64 too."""
    model.double()
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            torch.manual_seed(0)  # as before every subject's forward
            return model(*[upcast(a) if isinstance(a, torch.Tensor) else a for a in arguments])
    finally:
        torch.set_default_dtype(default)


class ErrorSum:
    """Largest error and sum of squared errors over tensors. Equal infinities and pairs of NaN are no error;
    a value that is not finite on one side only is an infinite one."""

    def __init__(self) -> None:
        self.max_abs = 0.0
        self.sum_squares = 0.0
        self.numel = 0

    def add(self, actual: torch.Tensor, exact: torch.Tensor) -> None:
        if not (exact.is_floating_point() or exact.is_complex()):
            return  # indices and masks have no rounding error
        left, right = actual.reshape(-1), exact.reshape(-1)
        for start in range(0, left.numel(), CHUNK):
            a, e = upcast(left[start : start + CHUNK]), right[start : start + CHUNK]
            error = (a - e).abs()
            error[(a == e) | (torch.isnan(a) & torch.isnan(e))] = 0
            error.nan_to_num_(nan=float("inf"), posinf=float("inf"))
            self.max_abs = max(self.max_abs, error.max().item())
            self.sum_squares += error.square_().sum().item()
        self.numel += left.numel()
