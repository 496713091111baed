"""Executes a candidate's module. Its inline extensions are compiled by the runner host's builders, or where that can't
be, in its own process and scratch folder."""

from __future__ import annotations

import functools
import os
import socket
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.utils import cpp_extension

from . import build_broker, extension_build
from .own_kernels import CpuCalls
from .problem_file import load_module
from .subject_errors import BuildError


class _Builders:
    """The candidate's end of the socket to the builders."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self._names: dict[str, int] = {}

    def connect(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)

    def load_inline(self, arguments: dict[str, Any]) -> Any | None:
        """The loaded extension; None where it is not for the builders. Raises BuildError."""
        request = extension_build.request_from(arguments, _architecture(arguments)) if self._socket else None
        if self._socket is None or request is None:
            return None
        name = self._fresh_name(request["name"])
        request["name"] = name
        try:
            build_broker.send(self._socket, {"request": request})
            head, library = build_broker.receive(self._socket)
        except (OSError, EOFError):
            self._socket = None
            return None
        if not head["ok"]:
            raise BuildError(str(head["error"]))
        folder = Path(os.environ.get("TORCH_EXTENSIONS_DIR", ".")) / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.so").write_bytes(library)
        is_module = request.get("is_python_module", True)
        loaded: Any = cpp_extension._import_module_from_library(name, str(folder), is_module)
        return loaded if is_module else str(folder / f"{name}.so")

    def _fresh_name(self, name: str) -> str:
        """Two libraries of one name can't be loaded: as PyTorch does, the later ones get another."""
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return f"{name}_v{count}" if count else name


BUILDERS = _Builders()


def _architecture(arguments: dict[str, Any]) -> str:
    """Of this GPU alone, as in ``9.0``; empty without one or where nothing is compiled for it."""
    if not (arguments.get("cuda_sources") or arguments.get("with_cuda")) or not torch.cuda.is_available():
        return ""
    major, minor = torch.cuda.get_device_capability()
    return f"{major}.{minor}"


def run_candidate_module(source: str, file: str, calls: CpuCalls | None) -> ModuleType:
    """Execute ``source``. ``calls`` (CPU device only) is told of extension functions and interpreted kernels."""
    original = cpp_extension.load_inline

    @functools.wraps(original)
    def load_inline(name: str, cpp_sources: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs["verbose"] = False
        try:
            extension = None
            if not args:
                extension = BUILDERS.load_inline({"name": name, "cpp_sources": cpp_sources, **kwargs})
            if extension is None:
                extension = original(name, cpp_sources, *args, **kwargs)
        except RuntimeError as error:
            if "Error building extension" in str(error) or "Error compiling" in str(error):
                raise BuildError(str(error)) from None
            raise
        return calls.watch_extension(extension) if calls is not None else extension

    cpp_extension.load_inline = load_inline
    if calls is not None:
        calls.watch_interpreter()
    return load_module("kbeval_candidate", source, file)
