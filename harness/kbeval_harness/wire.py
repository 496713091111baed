"""Framed JSON messages over a Unix stream socket, with file descriptors beside them.

A frame is a 4-byte little-endian length followed by that many bytes of UTF-8 JSON (an object). File descriptors
travel as SCM_RIGHTS with the first byte of their frame. Both ends check every message against ``protocol.json``,
which names the messages, their fields and their types; the C++ end is ``src/protocol``.
"""

from __future__ import annotations

import array
import json
import os
import socket
import struct
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

MAX_FRAME = 64 << 20
MAX_FDS = 64
_HEADER = struct.Struct("<I")

Json = dict[str, Any]


class WireError(Exception):
    """The peer sent something that is not a well-formed message."""


class PeerClosed(WireError):
    """The peer closed the channel."""


@cache
def schema() -> Json:
    """The protocol's schema: ``{"version": n, "messages": {type: {"fields": {name: json type}}}}``."""
    loaded: Json = json.loads(Path(__file__).with_name("protocol.json").read_text(encoding="utf-8"))
    return loaded


_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "any": (object,),
}


def check(message: object) -> Json:
    """Return ``message`` if it is one of the protocol's messages with its fields, else raise WireError."""
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise WireError("message is not an object with a string 'type'")
    spec = schema()["messages"].get(message["type"])
    if spec is None:
        raise WireError(f"unknown message type {message['type']!r}")
    for name, kind in spec["fields"].items():
        if name not in message:
            raise WireError(f"message {message['type']!r} lacks the field {name!r}")
        value = message[name]
        if not isinstance(value, _TYPES[kind]) or (
            kind not in {"boolean", "any"} and isinstance(value, bool)
        ):
            raise WireError(f"message {message['type']!r}: field {name!r} is not of type {kind}")
    extra = set(message) - set(spec["fields"]) - {"type"}
    if extra:
        raise WireError(f"message {message['type']!r} has unknown fields {sorted(extra)}")
    return message


class Channel:
    """One end of a message channel. Owns its socket; single-threaded use."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def fileno(self) -> int:
        return self._sock.fileno()

    def close(self) -> None:
        self._sock.close()

    def send(self, message: Json, fds: Sequence[int] = ()) -> None:
        body = json.dumps(check(message), separators=(",", ":")).encode()
        if len(body) > MAX_FRAME:
            raise WireError(f"message {message['type']!r} is {len(body)} bytes; the limit is {MAX_FRAME}")
        frame = _HEADER.pack(len(body)) + body
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        sent = self._sock.sendmsg([frame], ancillary)
        self._sock.sendall(memoryview(frame)[sent:])

    def recv(self) -> tuple[Json, list[int]]:
        """Next message and the descriptors that came with it; raises PeerClosed at end of stream."""
        fds: list[int] = []
        header = self._recv_exactly(_HEADER.size, fds)
        (length,) = _HEADER.unpack(header)
        if length > MAX_FRAME:
            raise WireError(f"frame of {length} bytes; the limit is {MAX_FRAME}")
        body = self._recv_exactly(length, fds)
        try:
            message = json.loads(body)
        except ValueError as error:
            raise WireError(f"frame is not JSON: {error}") from None
        return check(message), fds

    def _recv_exactly(self, count: int, fds: list[int]) -> bytes:
        data = bytearray()
        while len(data) < count:
            chunk, ancillary, flags, _ = self._sock.recvmsg(
                min(count - len(data), 1 << 20), socket.CMSG_SPACE(MAX_FDS * 4), socket.MSG_CMSG_CLOEXEC
            )
            for level, kind, payload in ancillary:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    received = array.array("i")
                    received.frombytes(payload[: len(payload) - len(payload) % received.itemsize])
                    fds.extend(received)
            if flags & socket.MSG_CTRUNC:
                for fd in fds:
                    os.close(fd)
                raise WireError("descriptors were lost on the way")
            if not chunk:
                raise PeerClosed("the peer closed the channel")
            data += chunk
        return bytes(data)


def channel_from_fd(fd: int) -> Channel:
    """Channel over an inherited descriptor, which it then owns."""
    return Channel(socket.socket(fileno=fd))
