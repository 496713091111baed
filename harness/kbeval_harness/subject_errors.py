"""What can go wrong in a subject, classified for the verdict."""

from __future__ import annotations

import traceback
from typing import Any

import torch

LIMIT = 48 << 10


class WeightsError(Exception):
    """The candidate's parameters don't match the reference's."""


class OutputError(Exception):
    """The outputs' structure, shape, dtype, device or layout is not the reference's."""


class BuildError(Exception):
    """A compiler refused the candidate's code; the message is what it printed."""


def _is_compile_error(error: BaseException) -> bool:
    names = {f"{c.__module__}.{c.__qualname__}" for c in type(error).__mro__}
    triton = {"triton.compiler.errors.CompilationError", "triton.runtime.errors.PTXASError"}
    return isinstance(error, (BuildError, SyntaxError)) or bool(names & triton)


def classify(error: BaseException) -> str:
    """One of: compile, weights, output, out_of_memory, exception."""
    if _is_compile_error(error):
        return "compile"
    if isinstance(error, WeightsError):
        return "weights"
    if isinstance(error, OutputError):
        return "output"
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return "out_of_memory"
    return "exception"


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:
        return "(its text can't be had)"


def describe(error: BaseException, file: str) -> dict[str, Any]:
    """The error as JSON: kind, type, message, and the last line of ``file`` that its traceback passes."""
    line = 0
    text = ""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == file:
            line = frame.lineno or 0
            text = (frame.line or "").strip()
    return {
        "kind": classify(error),
        "type": type(error).__name__,
        "message": _text(error).encode("utf-8", "replace").decode()[:LIMIT],
        "line": line,
        "text": text[:400],
    }
