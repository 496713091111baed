"""Executes a candidate's module with its builds kept inside the runner's scratch folder."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from torch.utils import cpp_extension

from .own_kernels import CpuCalls
from .problem_file import load_module
from .subject_errors import BuildError


def run_candidate_module(source: str, file: str, calls: CpuCalls | None) -> ModuleType:
    """Execute ``source``. ``calls`` (CPU device only) is told of extension functions and interpreted kernels."""
    original = cpp_extension.load_inline

    @functools.wraps(original)
    def load_inline(*args: Any, **kwargs: Any) -> Any:
        kwargs["verbose"] = False
        try:
            extension = original(*args, **kwargs)
        except RuntimeError as error:
            if "Error building extension" in str(error) or "Error compiling" in str(error):
                raise BuildError(str(error)) from None
            raise
        return calls.watch_extension(extension) if calls is not None else extension

    cpp_extension.load_inline = load_inline
    if calls is not None:
        calls.watch_interpreter()
    return load_module("kbeval_candidate", source, file)
