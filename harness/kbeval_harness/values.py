"""Python values as JSON trees: how init arguments, inputs and outputs are described between processes.

A tree node is one of ``{"scalar": x}``, ``{"float": "nan"}`` (JSON has no non-finite numbers), ``{"dtype": name}``,
``{"list": [...]}``, ``{"tuple": [...]}``, ``{"dict": [[key, node], ...]}`` and ``{"tensor": i}``, where ``i`` counts
tensors in the order they are met. The tensors' bytes travel through shared regions (see ``memory``).
"""

from __future__ import annotations

import math
from typing import Any

import torch

Tree = dict[str, Any]
MAX_DEPTH = 16
MAX_NODES = 100_000


class ValueError_(Exception):
    """A value that has no place in a tree; the message names where it stands and its type."""


class _Encoder:
    def __init__(self) -> None:
        self.tensors: list[torch.Tensor] = []
        self.nodes = 0

    def encode(self, value: Any, place: str, depth: int) -> Tree:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise ValueError_(
                f"{place}: nested too deeply or too large (limits: {MAX_DEPTH} deep, {MAX_NODES} values)"
            )
        kind = type(value)
        if kind is torch.Tensor or kind is torch.nn.Parameter:
            self.tensors.append(value)
            return {"tensor": len(self.tensors) - 1}
        if value is None or kind in (bool, str, int):
            return {"scalar": value}
        if kind is float:
            number = float(value)
            return {"scalar": number} if math.isfinite(number) else {"float": repr(number)}
        if kind is torch.dtype:
            return {"dtype": str(value).removeprefix("torch.")}
        if kind is list or kind is tuple or kind is torch.Size:
            items = [self.encode(v, f"{place}[{i}]", depth + 1) for i, v in enumerate(value)]
            return {"list" if kind is list else "tuple": items}
        if isinstance(value, dict) and kind.__module__ in ("builtins", "collections"):
            pairs = []
            for key, item in value.items():
                if type(key) not in (str, int):
                    raise ValueError_(f"{place}: key of type {type(key).__name__}; keys must be str or int")
                pairs.append([key, self.encode(item, f"{place}[{key!r}]", depth + 1)])
            return {"dict": pairs}
        if isinstance(value, tuple) and hasattr(value, "_fields"):  # a named tuple, such as torch.max returns
            return {"tuple": [self.encode(v, f"{place}[{i}]", depth + 1) for i, v in enumerate(value)]}
        if isinstance(value, tuple) and kind.__module__ == "torch.return_types":
            return {"tuple": [self.encode(v, f"{place}[{i}]", depth + 1) for i, v in enumerate(value)]}
        raise ValueError_(f"{place}: unsupported type {kind.__module__}.{kind.__qualname__}")


def encode(value: object, place: str = "value") -> tuple[Tree, list[torch.Tensor]]:
    """Tree of ``value`` and its tensors. Tensor subclasses and other objects raise ValueError_."""
    encoder = _Encoder()
    tree = encoder.encode(value, place, 0)
    return tree, encoder.tensors


def decode(tree: Tree, tensors: list[torch.Tensor]) -> Any:
    """The value that ``encode`` described, with ``tensors`` in the places of the originals."""
    ((kind, content),) = tree.items()
    match kind:
        case "scalar":
            return content
        case "float":
            return float(content)
        case "dtype":
            return getattr(torch, content)
        case "list":
            return [decode(item, tensors) for item in content]
        case "tuple":
            return tuple(decode(item, tensors) for item in content)
        case "dict":
            return {key: decode(item, tensors) for key, item in content}
        case "tensor":
            return tensors[content]
    raise ValueError_(f"unknown node {kind!r}")


def describe(tree: Tree) -> str:
    """The structure in words, for messages: ``tensor``, ``tuple of 2``, ``dict with keys ...``."""
    ((kind, content),) = tree.items()
    match kind:
        case "tensor":
            return "a tensor"
        case "list" | "tuple":
            return f"a {kind} of {len(content)}"
        case "dict":
            return f"a dict with keys {[key for key, _ in content]}"
        case "scalar":
            return f"{type(content).__name__} {content!r}"
    return f"a {kind}"
