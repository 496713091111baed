"""Compiles an inline extension in a sandboxed process of its own, which never executes what it compiles.

A candidate's ``load_inline`` asks for it (``candidate_build``), the runner host forks and supervises it
(``build_broker``). What comes out is a function of the request, the compilers and PyTorch alone.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
from torch.utils import cpp_extension

from . import thin_headers

Json = dict[str, Any]

_TEXTS = ("cpp_sources", "cuda_sources", "functions")
_FLAGS = ("extra_cflags", "extra_cuda_cflags", "extra_ldflags")
_SWITCHES = ("with_cuda", "with_pytorch_error_handling", "is_python_module", "no_implicit_headers")
_NAME = re.compile(r"[A-Za-z_]\w{0,99}")
_ARCH = re.compile(r"(\d+\.\d[af]?)?")


def request_from(arguments: Json, arch: str) -> Json | None:
    """The arguments of a ``load_inline`` as JSON; None where they hold what only the caller's own process can
    build (folders, SYCL, odd types)."""
    request: Json = {"arch": arch}
    for name, value in arguments.items():
        if value is None or (name in {"verbose", "keep_intermediates"}):
            continue
        if name in _TEXTS and isinstance(value, str):
            request[name] = [value]
        elif name in _TEXTS and isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value):
            request[name] = list(value)
        elif name == "functions" and isinstance(value, dict):
            request[name] = {str(k): str(v) for k, v in value.items()}
        elif name in _FLAGS and isinstance(value, (list, tuple)) and all(isinstance(v, str) for v in value):
            request[name] = list(value)
        elif (name in _SWITCHES and isinstance(value, bool)) or (name == "name" and isinstance(value, str)):
            request[name] = value
        else:
            return None
    return request if is_request(request) else None


def is_request(request: Any) -> bool:
    """Whether it is well-formed: a candidate may send anything."""
    if not isinstance(request, dict) or not set(request) <= {"name", "arch", *_TEXTS, *_FLAGS, *_SWITCHES}:
        return False
    if not isinstance(request.get("cpp_sources"), list):
        return False

    def texts(value: Any) -> bool:
        return isinstance(value, list) and all(isinstance(v, str) for v in value)

    functions = request.get("functions", [])
    return (
        _NAME.fullmatch(str(request.get("name", ""))) is not None
        and _ARCH.fullmatch(str(request.get("arch", ""))) is not None
        and all(texts(request.get(name, [])) for name in (*_FLAGS, "cpp_sources", "cuda_sources"))
        and (texts(functions) or (isinstance(functions, dict) and texts(list(functions.values()))))
        and all(isinstance(request.get(name, True), bool) for name in _SWITCHES)
    )


def keepable(request: Json) -> bool:
    """Whether all that goes into the build is in its key: a flag with a path may name files that change."""
    return not any("/" in flag or flag.startswith("@") for name in _FLAGS for flag in request.get(name, []))


@functools.cache
def toolchain() -> str:
    """What compiles, as text."""

    def version(program: str) -> str:
        path = shutil.which(program) or program
        try:
            done = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
        except (OSError, subprocess.SubprocessError):
            return f"no {program}"
        return os.path.realpath(path) + " " + done.stdout.decode(errors="replace")

    nvcc = os.path.join(cpp_extension.CUDA_HOME or "/usr/local/cuda", "bin", "nvcc")
    rules = b"".join(Path(module).read_bytes() for module in (__file__, thin_headers.__file__))
    return "\n".join(
        [
            torch.__version__,
            sys.version,
            sys.prefix,
            version(cpp_extension.get_cxx_compiler()),
            version(nvcc),
            hashlib.sha256(rules).hexdigest(),
        ]
    )


def key_of(request: Json) -> str:
    """64 hex digits over everything that the library depends on."""
    text = json.dumps([toolchain(), request], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def build(request: Json, folder: Path) -> None:
    """Compile into ``folder``/NAME.so; first with reduced headers, where those don't do with PyTorch's own.

    Raises RuntimeError with what the compilers printed.
    """
    cpp_extension._import_module_from_library = lambda *_: None
    os.environ["TORCH_CUDA_ARCH_LIST"] = request["arch"] or "9.0"
    cuda = bool(request.get("cuda_sources")) or bool(request.get("with_cuda"))
    if _has_thin_headers(request, folder / "thin"):
        try:
            _compile(request, folder / "quick", cuda, [str(folder / "thin")])
            (folder / "quick" / (request["name"] + ".so")).rename(folder / (request["name"] + ".so"))
            return
        except RuntimeError:
            pass  # the full headers tell whether it is the source's fault, and say it in their words
    _compile(request, folder / "full", cuda, [])
    (folder / "full" / (request["name"] + ".so")).rename(folder / (request["name"] + ".so"))


def _has_thin_headers(request: Json, folder: Path) -> bool:
    if request.get("no_implicit_headers"):
        return False
    sources = "\n".join([*request["cpp_sources"], *request.get("cuda_sources", [])])
    include = Path(torch.__file__).parent / "include"
    try:
        thin_headers.write(folder, include, sources)
    except thin_headers.Unsuitable:
        return False
    return True


def _compile(request: Json, folder: Path, cuda: bool, include_paths: list[str]) -> None:
    folder.mkdir()
    arguments = {key: value for key, value in request.items() if key not in {"arch", "with_cuda"}}
    # Each attempt is the first of its name: torch gives later ones other names.
    cpp_extension.JIT_EXTENSION_VERSIONER.entries.clear()
    for name in ("cpp_sources", "cuda_sources"):
        arguments[name] = list(arguments.get(name, []))  # load_inline inserts into them
    cpp_extension.load_inline(
        **arguments,
        with_cuda=cuda,
        extra_include_paths=include_paths,
        build_directory=str(folder),
        verbose=False,
    )
