"""Entering the sandbox from a freshly forked child: a typed face for the native library.

The layers, the configuration and what remains possible inside are described in docs/sandbox.md.
"""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

LIBRARY_NAME = "libkbeval_sandbox.so"
LIBRARY_VARIABLE = "KBEVAL_SANDBOX_LIB"
_REPORT_BYTES = 1 << 20


class SandboxError(RuntimeError):
    """The sandbox could not be entered; who catches this must report it and call ``os._exit``."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        """A positive errno value."""


@dataclass(frozen=True)
class SandboxLimits:
    """Resource limits; None is unlimited."""

    processes: int | None = None
    """Processes and threads inside, together."""
    memory_bytes: int | None = None
    """Of everything inside (cgroup); where there is no cgroup, private memory of each process."""
    data_bytes: int | None = None
    """Private writable memory of each process."""
    file_bytes: int | None = None
    """Size of each file written."""
    open_files: int | None = None
    stack_bytes: int | None = None
    cpu_seconds: int | None = None
    """CPU time of each process."""


@dataclass(frozen=True)
class SandboxConfig:
    """What is visible and possible inside. All paths are absolute and are the same outside and inside."""

    ro_paths: Sequence[str] = ()
    """Visible read-only; absent ones are skipped and reported."""
    rw_paths: Sequence[str] = ()
    """Writable; must exist and be writable by the user inside."""
    hide_paths: Sequence[str] = ()
    """Invisible although a path above is shown."""
    device_paths: Sequence[str] = ()
    """Device nodes, or folders of them, below /dev."""
    keep_fds: Sequence[int] = ()
    """Descriptors that stay open; all others are closed. No directories."""
    uid: int = 65534
    """User inside, where the caller is root; any other caller stays who it is."""
    gid: int = 65534
    tmp_bytes: int = 1 << 30
    """Size of /tmp and of /dev/shm, each."""
    cwd: str = "/"
    env: Mapping[str, str] = field(default_factory=dict)
    """The whole environment inside."""
    hostname: str = "kbeval"
    dumpable: bool = False
    allow_netlink: bool = False
    legacy_remount: bool = False
    """Don't use mount_setattr, as on kernels before 5.12."""
    control_fd: int | None = None
    """Stream socket over which the host orders a freeze (byte F) or a thaw (T); needs the layer ``pid_ns``."""
    cgroup_parent: str | None = None
    """A writable cgroup v2 folder; None tries the caller's own."""
    required: Sequence[str] = ()
    """Layers without which entering fails."""
    limits: SandboxLimits = field(default_factory=SandboxLimits)

    def to_json(self) -> str:
        """The configuration as the native library reads it."""
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class SandboxReport:
    """What the sandbox is made of."""

    layers: Mapping[str, bool]
    missing: Mapping[str, str]
    """Reason for each layer that is absent."""
    skipped_paths: Mapping[str, str]
    """Configured paths that are not there inside, with the reason."""
    uid: int
    gid: int
    cgroup: str | None
    """The cgroup's folder; to be removed by the host if it had to kill the supervisor."""
    enter_us: int
    """Time that entering took, in microseconds."""

    @classmethod
    def from_json(cls, text: str) -> SandboxReport:
        """Reads the native library's report."""
        raw: dict[str, Any] = json.loads(text)
        return cls(
            layers=dict(raw["layers"]),
            missing={entry["layer"]: entry["reason"] for entry in raw["missing"]},
            skipped_paths={entry["path"]: entry["reason"] for entry in raw["skipped_paths"]},
            uid=int(raw["uid"]),
            gid=int(raw["gid"]),
            cgroup=raw["cgroup"],
            enter_us=int(raw["enter_us"]),
        )


def find_library() -> Path:
    """The native library: from the environment, or beside this package."""
    named = os.environ.get(LIBRARY_VARIABLE)
    candidates = [Path(named)] if named else [Path(__file__).with_name(LIBRARY_NAME)]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise FileNotFoundError(
        f"{candidates[0]}: the sandbox library is not there; build it, or set {LIBRARY_VARIABLE} to its path"
    )


def load_library(path: Path | None = None) -> ctypes.PyDLL:
    """Loads the native library. A host does so once, before it forks."""
    # PyDLL keeps the interpreter lock, so that nothing else can run between the forks inside.
    library = ctypes.PyDLL(str(path or find_library()))
    library.kbeval_sandbox_enter.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    library.kbeval_sandbox_enter.restype = ctypes.c_int
    return library


def enter(config: SandboxConfig, library: ctypes.PyDLL | None = None) -> SandboxReport:
    """Confines this process, which must be a freshly forked child of the main thread, with one thread.

    Returns in a new process inside the sandbox. The calling process becomes its supervisor and ends as it
    ends; killing it ends everything inside.

    Raises:
        SandboxError: it could not be entered, or a required layer is missing. This may surface in the calling
            process or in one that is confined in part: report it and call ``os._exit``.
    """
    native = library or load_library()
    buffer = ctypes.create_string_buffer(_REPORT_BYTES)
    code: int = native.kbeval_sandbox_enter(config.to_json().encode(), buffer, len(buffer))
    text = buffer.value.decode()
    if code < 0:
        message = json.loads(text)["error"] if text else f"sandbox error {code}"
        raise SandboxError(-code, message)
    # Python keeps its own copy of the environment, made when it started.
    os.environ.clear()
    os.environ.update(config.env)
    return SandboxReport.from_json(text)
