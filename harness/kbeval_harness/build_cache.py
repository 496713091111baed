"""A folder of compiled extensions by the digest of all that went into them.

An entry is one file, the SHA-256 of the rest and then the shared library, which comes into being by a rename: whoever
is killed leaves a temporary file and no half entry, writers of one key replace each other's equal work, and what was
damaged on disk is noticed and built again. Only the runner host writes here; candidates don't see the folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from pathlib import Path

DEFAULT_BYTES = 4 << 30
_SUFFIX = ".ext"
_STALE_SECONDS = 3600


class BuildCache:
    def __init__(self, folder: Path, limit_bytes: int = DEFAULT_BYTES) -> None:
        self._folder = folder
        self._limit = limit_bytes

    def _entry(self, key: str) -> Path:
        return self._folder / (key + _SUFFIX)

    def get(self, key: str) -> bytes | None:
        """The library of ``key``; None where there is none that is whole."""
        entry = self._entry(key)
        try:
            data = entry.read_bytes()
        except OSError:
            return None
        if hashlib.sha256(data[32:]).digest() != data[:32]:
            with contextlib.suppress(OSError):
                entry.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(entry)  # for the order in which entries go
        return data[32:]

    def put(self, key: str, library: bytes) -> None:
        """Keep ``library``, and let the entries go that were not used for longest. A cache that can't be written
        (disk full) costs time, never a verdict."""
        if len(library) + 32 > self._limit:
            return
        temporary = self._folder / f"{key}.{os.getpid()}.tmp"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._make_room(len(library) + 32)
            temporary.write_bytes(hashlib.sha256(library).digest() + library)
            temporary.rename(self._entry(key))
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink()

    def _make_room(self, needed: int) -> None:
        entries = []
        for file in self._folder.iterdir():
            with contextlib.suppress(OSError):
                status = file.stat()
                if file.suffix == _SUFFIX:
                    entries.append((status.st_mtime, status.st_size, file))
                elif time.time() - status.st_mtime > _STALE_SECONDS:
                    file.unlink()  # of a writer that was killed
        total = sum(size for _, size, _ in entries)
        for _, size, file in sorted(entries):
            if total + needed <= self._limit:
                break
            with contextlib.suppress(OSError):
                file.unlink()
            total -= size
