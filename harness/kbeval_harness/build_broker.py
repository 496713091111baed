"""The runner host's part of building extensions: requests of candidates in, compiled libraries out.

Each candidate's runner has a socket to the host. A request is answered from the cache, or by forking a builder: a
process in a sandbox of its own, with an empty folder and no GPU, that compiles and executes nothing of the candidate.
Only what such a builder made for a request enters the cache under the digest of that request, so a candidate can
neither write an entry nor choose which one its code becomes.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import selectors
import shutil
import signal
import socket
import stat
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .build_cache import DEFAULT_BYTES, BuildCache

Json = dict[str, Any]

ENV_FOLDER = "KBEVAL_BUILD_CACHE"
ENV_BYTES = "KBEVAL_BUILD_CACHE_BYTES"
_LENGTH = struct.Struct("<I")
_MAX_REQUEST = 16 << 20
_MAX_LIBRARY = 512 << 20
_MAX_LOG = 1 << 20
_NEEDED_TO_KEEP = ("mount_ns", "pid_ns", "not_dumpable")


def send(sock: socket.socket, head: Json, body: bytes = b"") -> None:
    """One frame: the length of the head, the head as JSON with the length of the body in it, the body."""
    text = json.dumps({**head, "bytes": len(body)}).encode()
    sock.sendall(_LENGTH.pack(len(text)) + text + body)


def _exactly(sock: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        chunk = sock.recv(min(count - len(data), 1 << 20))
        if not chunk:
            raise EOFError
        data += chunk
    return bytes(data)


def receive(sock: socket.socket, limit: int = _MAX_LIBRARY) -> tuple[Json, bytes]:
    """The next frame; raises EOFError at the end and ValueError for what is none."""
    (length,) = _LENGTH.unpack(_exactly(sock, _LENGTH.size))
    if length > _MAX_REQUEST:
        raise ValueError("frame too long")
    head = json.loads(_exactly(sock, length))
    if (
        not isinstance(head, dict)
        or not isinstance(head.get("bytes"), int)
        or not 0 <= head["bytes"] <= limit
    ):
        raise ValueError("not a frame")
    return head, _exactly(sock, head["bytes"])


@dataclass(frozen=True)
class Wanted:
    """A candidate's runner has asked for something."""

    number: int


class Brokers:
    """The sockets of all candidates' runners, and the processes that serve those which asked for anything: the host
    itself never waits for a build."""

    def __init__(self, selector: selectors.BaseSelector) -> None:
        self._selector = selector
        self._waiting: dict[int, tuple[socket.socket, Json]] = {}
        self._pids: dict[int, int] = {}

    def open(self, number: int, config: Json) -> int:
        """Descriptor of the candidate's end, to be closed by the caller."""
        ours, theirs = socket.socketpair()
        self._waiting[number] = (ours, config)
        self._selector.register(ours, selectors.EVENT_READ, Wanted(number))
        return theirs.detach()

    def serve(self, wanted: Wanted, host_fds: list[int]) -> None:
        """Fork the process that answers this runner from now on. One that is gone by now, as the same turn of the
        selector has told, wants nothing."""
        if wanted.number not in self._waiting:
            return
        ours, config = self._waiting.pop(wanted.number)
        self._selector.unregister(ours)
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            _become_broker(parent, ours, config, [*host_fds, self._selector.fileno()])  # type: ignore[attr-defined]
        ours.close()
        self._pids[wanted.number] = pid

    def close(self, number: int) -> None:
        """The runner is gone, and what was built for it is no longer wanted."""
        if number in self._waiting:
            ours, _ = self._waiting.pop(number)
            self._selector.unregister(ours)
            ours.close()
        pid = self._pids.pop(number, None)
        if pid is not None:
            _end(pid)


def _become_broker(parent: int, sock: socket.socket, config: Json, host_fds: list[int]) -> None:
    try:
        os.setsid()
        from .host import die_with_parent

        die_with_parent(parent)
        for fd in host_fds:
            os.close(fd)
        folder = os.environ.get(ENV_FOLDER)
        limit = int(os.environ.get(ENV_BYTES) or DEFAULT_BYTES)
        _serve(sock, config, BuildCache(Path(folder), limit) if folder and limit > 0 else None)
    except (EOFError, ValueError, OSError):
        pass  # the candidate is gone, or sent what is no request
    finally:
        os._exit(0)


def _serve(sock: socket.socket, config: Json, cache_for_all: BuildCache | None) -> None:
    from .extension_build import is_request, keepable, key_of

    for count in itertools.count():
        head, _ = receive(sock, 0)
        request: Json = head.get("request", {})
        if not is_request(request):
            raise ValueError("not a request")
        cache = cache_for_all if keepable(request) else None
        key = key_of(request) if cache else ""
        library = cache.get(key) if cache else None
        found = library is not None
        error = ""
        if library is None:
            folder = Path(config["scratch"]).parent / f"build-{os.getpid()}-{count}"
            library, error, confined = build_confined(request, folder, config)
            if library is not None and cache and confined:
                cache.put(key, library)
        send(sock, {"ok": library is not None, "cached": found, "error": error}, library or b"")


def build_confined(request: Json, folder: Path, config: Json) -> tuple[bytes | None, str, bool]:
    """Compile in a sandboxed child. Returns the library, else what was printed; and whether the sandbox was whole."""
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)  # the sandbox may give it another user; the folder above is closed
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_builder(request, folder, config, write)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        report = pipe.read(_MAX_LOG)
    _, status = os.waitpid(pid, 0)
    try:
        whole, error = _read_report(report)
        if error or not os.WIFEXITED(status) or os.WEXITSTATUS(status) != 0:
            return None, error or f"the builder ended with status {status}", whole
        return _read_library(folder / (request["name"] + ".so")), "", whole
    except OSError as problem:
        return None, f"no library was built: {problem}", False
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _read_report(report: bytes) -> tuple[bool, str]:
    lines = report.split(b"\n", 1)
    return lines[0] == b"whole", lines[1].decode(errors="replace") if len(lines) > 1 else "it said nothing"


def _read_library(file: Path) -> bytes:
    """The file's bytes, if it is a plain one: a compiler may have been talked into leaving a link there."""
    fd = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as stream:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_LIBRARY:
            raise OSError("not a plain file of a sensible size")
        return stream.read()


def _become_builder(request: Json, folder: Path, config: Json, report_fd: int) -> None:
    code = 1
    try:
        os.environ.update(config.get("env", {}))
        whole = b"bare"
        if config.get("sandbox"):
            from .confine import enter_sandbox

            settings = {
                **config["sandbox"],
                "rw_paths": [str(folder)],
                "cwd": str(folder),
                "device_paths": [],
                "env": {**config["sandbox"]["env"], "HOME": str(folder), "CUDA_VISIBLE_DEVICES": ""},
            }
            report = enter_sandbox(settings, [report_fd])
            # Others can't get at its folder or its memory: then its work may be kept.
            whole = b"whole" if all(report["layers"].get(name) for name in _NEEDED_TO_KEEP) else b"bare"
        os.write(report_fd, whole + b"\n")
        from .extension_build import build

        build(request, folder)
        code = 0
    except RuntimeError as error:
        text = str(error).encode("utf-8", "replace")[: _MAX_LOG // 2]
        with contextlib.suppress(OSError):
            os.write(report_fd, text)
    except BaseException as error:
        with contextlib.suppress(BaseException):
            os.write(report_fd, f"{type(error).__name__}: {error}".encode("utf-8", "replace")[:65536])
    finally:
        sys.stdout.flush()
        os._exit(code)


def _end(pid: int) -> None:
    """End a broker with what it started, and reap it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)
