"""Turns kbeval's sandbox settings into the sandbox's configuration: adds where this Python and its libraries live."""

from __future__ import annotations

import glob
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from . import native
from .sandbox import SandboxConfig, SandboxLimits, enter

Json = dict[str, Any]


def python_paths() -> list[str]:
    """Folders that running (and compiling extensions) in this interpreter needs to read."""
    folders = {sys.prefix, sys.base_prefix, os.path.realpath(sys.base_prefix)}
    folders.update(os.path.realpath(p) for p in (sys.executable, sys.prefix))
    folders.update(
        sysconfig.get_paths()[key] for key in ("stdlib", "platstdlib", "purelib", "platlib", "include")
    )
    folders.update(p for p in sys.path if p)
    library = os.environ.get(native.ENV_LIBRARY)
    if library:
        folders.add(library)
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            folders.add(os.environ[variable])
    return sorted(str(Path(f)) for f in folders)


def device_paths(patterns: list[str]) -> list[str]:
    return sorted(path for pattern in patterns for path in glob.glob(pattern))


def enter_sandbox(settings: Json, keep_fds: list[int], control_fd: int | None = None) -> Json:
    """Confine this process (see ``sandbox.enter``); returns what the verdict records of it."""
    limits = settings["limits"]
    config = SandboxConfig(
        ro_paths=[*settings["ro_paths"], *python_paths()],
        rw_paths=settings["rw_paths"],
        hide_paths=settings["hide_paths"],
        device_paths=device_paths(settings["device_paths"]),
        keep_fds=[0, 1, 2, *keep_fds],
        control_fd=control_fd,
        tmp_bytes=settings["tmp_bytes"],
        cwd=settings["cwd"],
        env=settings["env"],
        limits=SandboxLimits(
            processes=limits["processes"], file_bytes=limits["file_bytes"], open_files=limits["open_files"]
        ),
    )
    report = enter(config)
    return {
        "layers": dict(report.layers),
        "missing": [{"layer": layer, "reason": reason} for layer, reason in report.missing.items()],
        "enter_ms": report.enter_us / 1000,
    }
