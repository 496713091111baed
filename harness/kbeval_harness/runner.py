"""What a forked runner does: confine itself if told to, then answer requests until its channel closes."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import Any, NamedTuple

import torch

from .candidate_build import BUILDERS
from .confine import enter_sandbox
from .oracle import Oracle
from .policy import apply_numeric_policy
from .subject import Subject
from .subject_errors import describe
from .wire import Channel, PeerClosed, channel_from_fd

Json = dict[str, Any]


class Descriptors(NamedTuple):
    """What the host hands a runner; -1: none."""

    channel: int
    log: int  #: where it prints
    control: int  #: a confined one's socket with orders to freeze
    build: int  #: a candidate's socket to the builders


def run(role: str, config: Json, given: Descriptors) -> None:
    """Body of a runner; never returns."""
    os.dup2(given.log, 1)
    os.dup2(given.log, 2)
    report: Json = {}
    if config.get("sandbox"):
        kept = [fd for fd in (given.channel, given.build) if fd >= 0]
        report = enter_sandbox(config["sandbox"], kept, given.control if given.control >= 0 else None)
    if given.build >= 0:
        BUILDERS.connect(given.build)
    channel = channel_from_fd(given.channel)
    if config.get("threads"):
        torch.set_num_threads(int(config["threads"]))
    apply_numeric_policy()
    device = int(config["device"])
    if device >= 0:
        torch.cuda.set_device(device)
    handler: Oracle | Subject = Oracle(device) if role == "oracle" else Subject(role, device)
    channel.send({"type": "ready", "report": report})
    with contextlib.suppress(PeerClosed):
        serve(channel, handler)
    sys.stdout.flush()
    os._exit(0)


def serve(channel: Channel, handler: Oracle | Subject) -> None:
    """Answer each request with one ``reply``. An error of the handler is an answer too."""
    file = ""
    while True:
        message, fds = channel.recv()
        kind = message.pop("type")
        file = message.get("file", file)
        start = time.perf_counter()
        answer_fds: list[int] = []
        try:
            method = getattr(handler, f"on_{kind}")
            answer = method(**message, fds=fds) if kind == "attach" else method(**message)
            if isinstance(answer, tuple):
                answer, answer_fds = answer
            reply = {"type": "reply", "ok": True, "result": answer}
        except BaseException as error:
            reply = {"type": "reply", "ok": False, "result": describe(error, file)}
        channel.send({**reply, "seconds": time.perf_counter() - start}, answer_fds)
