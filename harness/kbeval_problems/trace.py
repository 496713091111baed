"""Runs a problem file without allocating its tensors and records what it does.

A problem at full size needs up to tens of gigabytes; on the meta device only shapes and dtypes are
computed, so the whole catalogue is traced on any machine in seconds. The record of a problem ("facts") is a
JSON object:

    level, number, name                 from the file's name
    init_signature, forward_signature   as inspect.signature prints them
    init_inputs, inputs, outputs        rendered values
    input_calls                         tensor-producing calls of get_inputs(), in order
    init_calls                          those of the constructor that draw or set values
    modules                             repr of the model
    params                              parameter name -> shape
    buffers                             buffer name -> [shape, dtype]
    forward_calls, forward_call_count   tensor-producing calls of forward(), in order, and how many there are
    costs                               bytes and FLOPs of one forward (see costs.py)

A call reads `torch.add(tensor[2, 3]:float32, param[3]) -> tensor[2, 3]:float32`. A list of calls may hold
groups {"repeat": n, "calls": [...]}, and keeps at most MAX_CALLS calls of a long forward.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, resolve_name

from .costs import CostCounter, problem_costs, recurrent_flops

Facts = dict[str, Any]
CallList = list[Any]  # of str and {"repeat": int, "calls": CallList}

MAX_CALLS = 600
MAX_ITEMS = 12  # of a list, of which the rest shows as its length
MAX_ARGUMENT_CHARS = 400
MAX_MODULES_CHARS = 20_000

_FILE_NAME = re.compile(r"L(?P<level>[1-9])_(?P<number>\d{3})_(?P<name>\w+)")


_WITHOUT_VALUES = (
    "torch.empty",
    "torch.linspace",  # the rates of stochastic depth, which no problem applies
    ".unbind",
    ".clone",
    ".__deepcopy__",
    ".detach",
    ".data.__get__",
    ".item",
    ".requires_grad_",
)
_INDEX = re.compile(r"(\.__getitem__\([^()]*, )\d+\)")


class ProblemFileError(Exception):
    """A file that does not follow the problem format; the message names the file and the rule."""


def render(value: Any) -> str:
    """One line for an argument or a result, with the shape and dtype of a tensor in place of its values."""
    if isinstance(value, torch.nn.Parameter):
        return f"param{list(value.shape)}"
    if isinstance(value, torch.Tensor):
        return f"tensor{list(value.shape)}:{_dtype_name(value.dtype)}"
    if isinstance(value, (list, tuple)):
        shown = [render(item) for item in value[:MAX_ITEMS]]
        if len(value) > MAX_ITEMS:
            shown.append(f"...{len(value)}")
        return "[" + ", ".join(shown) + "]"
    if isinstance(value, dict):  # the memo of a deep copy, whose entries may be half made
        return f"dict[{len(value)}]"
    if isinstance(value, torch.device):
        return "device(type='cpu')"  # where problems make their tensors by themselves
    return repr(value)


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_tensor(item) for item in value)
    return isinstance(value, torch.Tensor)


class CallRecorder(TorchFunctionMode):  # type: ignore[misc]  # torch is not followed
    """Records every call that returns a tensor, but those of nn.init, which the modules' repr implies."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.recurrent_flops = 0  # of the calls whose result is made up, which nothing below sees

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        name = _function_name(func)
        # Rendered before the call, since a call in place may change what its arguments look like.
        shown = [render(argument) for argument in args]
        shown += [f"{key}={render(value)}" for key, value in kwargs.items()]
        recurrent = name in ("torch.lstm", "torch.gru")
        result = _recurrent_result(*args) if recurrent else func(*args, **kwargs)
        if recurrent:
            self.recurrent_flops += recurrent_flops(*args)
        if _holds_tensor(result) and not name.startswith("torch.nn.init."):
            self.calls.append(f"{name}({', '.join(shown)[:MAX_ARGUMENT_CHARS]}) -> {render(result)}")
        return result


def _recurrent_result(inputs: Any, state: Any, *options: Any) -> tuple[Any, ...]:
    """What torch.lstm and torch.gru return, by shape; on meta they would take seconds, step by step."""
    states = state if isinstance(state, tuple) else (state,)
    directions = 2 if options[5] else 1  # weights, bias, layers, dropout, train, bidirectional, batch_first
    output = inputs.new_empty((*inputs.shape[:2], directions * states[0].shape[-1]))
    return output, *(value.clone() for value in states)


def _function_name(func: Callable[..., Any]) -> str:
    name = resolve_name(func)
    if name is not None:
        return str(name)
    name = func.__name__
    return f"torch.{name}" if getattr(torch, name, None) is func else name


def load_problem(path: Path) -> ModuleType:
    """Executes a problem file as a module of its own. Raises ProblemFileError where the format is broken."""
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ProblemFileError(f"{path}: {error}") from error
    return load_source(source, str(path))


def load_source(source: str, file: str) -> ModuleType:
    """Executes a problem's source. Raises ProblemFileError where the format is broken, whatever the source raises."""
    name = f"kbeval_problem_{Path(file).stem}"
    module = ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module  # where classes that are looked up by their module find it
    try:
        exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    except Exception as error:
        raise ProblemFileError(f"{file}: cannot be executed: {error!r}") from error
    for required in ("Model", "get_inputs", "get_init_inputs"):
        if not callable(getattr(module, required, None)):
            raise ProblemFileError(f"{file}: must define {required}")
    return module


def problem_files(root: Path) -> dict[str, Path]:
    """Problem id -> file, for every problem under root/level*/, in order of id."""
    found: dict[str, Path] = {}
    for path in sorted(root.glob("level*/L*.py")):
        match = _FILE_NAME.fullmatch(path.stem)
        if match is None:
            raise ProblemFileError(f"{path}: a problem file is named L<level>_<three digits>_<name>.py")
        problem_id = f"L{match['level']}_{match['number']}"
        if problem_id in found:
            raise ProblemFileError(f"{path}: {problem_id} is also {found[problem_id].name}")
        found[problem_id] = path
    return found


def trace_problem(path: Path) -> Facts:
    """Facts of the problem in `path` at full size. Nothing of that size is allocated."""
    match = _FILE_NAME.fullmatch(path.stem)
    if match is None:
        raise ProblemFileError(f"{path}: a problem file is named L<level>_<three digits>_<name>.py")
    named = {"level": int(match["level"]), "number": int(match["number"]), "name": match["name"]}
    return {**named, **trace_module(load_problem(path))}


def trace_module(module: ModuleType) -> Facts:
    """Facts of a loaded problem but those of its file's name."""
    with torch.device("meta"), torch.no_grad():
        with CallRecorder() as input_calls:
            inputs = module.get_inputs()
        init_inputs = module.get_init_inputs()
        with CallRecorder() as init_calls:
            model = module.Model(*init_inputs)
        modules = repr(model)[:MAX_MODULES_CHARS]
        state = _state(model)
        rendered_inputs = [render(value) for value in inputs]
        with CallRecorder() as forward_calls, CostCounter() as costs:
            output = model(*inputs)
    return {
        "init_signature": str(inspect.signature(module.Model.__init__)),
        "forward_signature": str(inspect.signature(module.Model.forward)),
        "init_inputs": render(init_inputs),
        "inputs": rendered_inputs,
        "input_calls": input_calls.calls,
        "init_calls": list(filter(makes_values, init_calls.calls)),
        "modules": modules,
        **state,
        "forward_calls": forward_calls.calls[:MAX_CALLS],
        "forward_call_count": len(forward_calls.calls),
        "outputs": render(output),
        "costs": problem_costs(inputs, model, output, costs.flops + forward_calls.recurrent_flops),
    }


def _state(model: torch.nn.Module) -> Facts:
    params = {name: list(value.shape) for name, value in model.named_parameters()}
    buffers = {name: [list(value.shape), str(value.dtype)] for name, value in model.named_buffers()}
    return {"params": params, "buffers": buffers}


def makes_values(call: str) -> bool:
    """Whether a constructor's call makes values: not a mode switch, an allocation, a copy or a reading."""
    name, _, _ = call.partition("(")
    return call.rpartition(" -> ")[2] != "None" and not name.endswith(_WITHOUT_VALUES)


def without_index(call: str) -> str:
    """The call with `*` for the position that it takes from a tensor, which changes with a loop's turns."""
    return _INDEX.sub(r"\1*)", call, count=1)


def expand_calls(calls: CallList) -> list[str]:
    """The plain list of calls, with every group written out; in a group's later turns indices read `*`."""
    flat: list[str] = []
    for entry in calls:
        if isinstance(entry, str):
            flat.append(entry)
            continue
        turn = expand_calls(entry["calls"])
        flat += turn + [without_index(call) for call in turn] * (int(entry["repeat"]) - 1)
    return flat


def group_calls(calls: Sequence[str], longest: int = 40) -> CallList:
    """Writes consecutive repeats as groups, indices apart; at each place the group that saves most."""
    plain = [without_index(call) for call in calls]
    grouped: CallList = []
    at = 0
    while at < len(calls):
        best_period, best_repeat = 1, 1
        for period in range(1, min(longest, (len(calls) - at) // 2) + 1):
            unit = plain[at : at + period]
            repeat = 1
            while plain[at + repeat * period : at + (repeat + 1) * period] == unit:
                repeat += 1
            if (repeat - 1) * period > (best_repeat - 1) * best_period:
                best_period, best_repeat = period, repeat
        turn = list(calls[at : at + best_period])
        grouped += [{"repeat": best_repeat, "calls": turn}] if best_repeat > 1 else turn
        at += best_period * best_repeat
    return grouped
