"""Loads a problem: a Python module in KernelBench's format."""

from __future__ import annotations

import linecache
import sys
from types import ModuleType
from typing import Any


class ProblemError(Exception):
    """The problem's source is not usable; the message names the file and what is wrong."""


def load_module(name: str, source: str, file: str) -> ModuleType:
    """Execute ``source`` as module ``name``. Registered, so that ``inspect.getsource`` works: Triton uses it."""
    module = ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), module.__dict__)
    return module


def load_problem(source: str, file: str, overrides: dict[str, Any]) -> ModuleType:
    """Execute a problem and set ``overrides`` (its smoke size: module constants by name)."""
    module = load_module("kbeval_problem", source, file)
    for name in ("Model", "get_inputs", "get_init_inputs"):
        if not callable(getattr(module, name, None)):
            raise ProblemError(f"{file}: defines no {name}")
    for name, value in overrides.items():
        if not hasattr(module, name):
            raise ProblemError(f"{file}: has no constant {name!r} to set for the smoke size")
        setattr(module, name, value)
    return module


def init_arguments(problem: ModuleType) -> list[Any]:
    """What ``Model`` is constructed with; a dict (KernelBench allows one) counts as keyword-free values in order."""
    arguments = problem.get_init_inputs()
    if isinstance(arguments, dict):
        return list(arguments.values())
    return list(arguments)
