"""What one forward must at least do: FLOPs and bytes, counted by shape on the meta device.

FLOPs are those of the operators as the reference calls them:
- matrix products, convolutions and attention: 2 for each multiply-add (torch.utils.flop_counter's formulas; a matrix
  times a vector likewise);
- LSTM and GRU: 2 for each weight, step and sequence, as cuDNN's gates need;
- elementwise operators: 1 for each element of the result; reductions, scans, norms, softmax, pooling and the rest that
  compute: 1 for each element of the larger of operand and result;
- views, copies, fills and random numbers: none.

Least bytes: every tensor input, parameter and buffer read once and every output written once, as if all operators were
one kernel with an unlimited cache. Work that a cleverer algorithm saves (a zero triangle, a result that is constant) is
not taken off, so a roofline time from these figures can be beaten, but seldom is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

_FREE = {
    "clone", "copy_", "copy", "_to_copy", "contiguous", "cat", "stack", "empty", "empty_like", "new_empty",
    "empty_strided", "new_empty_strided", "zeros", "zeros_like", "new_zeros", "ones", "ones_like", "new_ones", "full",
    "full_like", "new_full", "fill_", "fill", "zero_", "zero", "arange", "linspace", "scalar_tensor", "lift_fresh",
    "detach", "detach_", "alias", "rand", "rand_like", "randn", "randn_like", "randint", "randperm", "uniform_",
    "normal_", "bernoulli_", "bernoulli", "index", "index_select", "gather", "embedding", "slice_scatter",
    "select_scatter", "constant_pad_nd", "repeat", "roll", "flip", "_unsafe_view", "_reshape_copy", "unfold_copy",
    "resize_", "set_", "_local_scalar_dense", "channel_shuffle", "pixel_shuffle", "im2col", "tril", "triu",
    "index_put_", "masked_fill", "masked_fill_", "scatter_", "scatter", "split_with_sizes_copy", "eye",
    "reflection_pad2d", "replication_pad2d",
}  # fmt: skip


class CostCounter(TorchDispatchMode):  # type: ignore[misc]  # torch is not followed
    """Adds up the FLOPs of what runs inside it."""

    def __init__(self) -> None:
        super().__init__()
        self.flops = 0

    def __torch_dispatch__(
        self,
        func: Any,
        types: Iterable[type],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        operand = _largest(args)  # before the call: one in place may change it
        result = func(*args, **kwargs)
        self.flops += _flops(func, args, kwargs, operand, result)
        return result


def _flops(func: Any, args: Sequence[Any], kwargs: dict[str, Any], operand: int, result: Any) -> int:
    packet = func.overloadpacket
    name = packet.__name__
    if packet in flop_registry:
        formula: Callable[..., int] = flop_registry[packet]
        return int(formula(*args, **kwargs, out_val=result))
    if name in ("mv", "dot", "vdot"):
        return 2 * operand
    if name == "addmv":
        return 2 * int(args[1].numel())
    if func.is_view or name in _FREE:
        return 0
    out = _largest([result])
    return out if torch.Tag.pointwise in func.tags else max(operand, out)


def _largest(values: Any) -> int:
    if isinstance(values, torch.Tensor):
        return int(values.numel())
    if isinstance(values, (list, tuple)):
        return max((_largest(value) for value in values), default=0)
    return 0


def recurrent_flops(inputs: Any, state: Any, weights: Sequence[Any], *options: Any) -> int:
    """Of one call of torch.lstm or torch.gru: every weight matrix meets every step of every sequence once."""
    steps = math.prod(inputs.shape[:2])
    return sum(2 * int(weight.numel()) * steps for weight in weights if weight.dim() == 2)


def problem_costs(inputs: Any, model: torch.nn.Module, output: Any, flops: int) -> dict[str, int]:
    """The `costs` of a problem, from tensors on the meta device."""
    parameters = _nbytes([*model.parameters()])
    input_bytes, output_bytes = _nbytes(inputs), _nbytes(output)
    return {
        "input_bytes": input_bytes,
        "parameter_bytes": parameters,
        "output_bytes": output_bytes,
        "flops": flops,
        "least_bytes": input_bytes + parameters + _nbytes([*model.buffers()]) + output_bytes,
    }


def _nbytes(value: Any) -> int:
    """Bytes of the tensors in a value, each tensor once."""
    found: dict[int, int] = {}

    def walk(item: Any) -> None:
        if isinstance(item, torch.Tensor):
            found[id(item)] = item.numel() * item.element_size()
        elif isinstance(item, dict):
            walk(list(item.values()))
        elif isinstance(item, (list, tuple)):
            for part in item:
                walk(part)

    walk(value)
    return sum(found.values())
