"""The host's end of the sockets on which candidates ask for builds."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket

from kbeval_harness.build_broker import Brokers, Wanted


def test_a_runner_that_is_gone_wants_nothing() -> None:
    """Its end and its last words can come in one turn of the selector, in either order."""
    selector = selectors.DefaultSelector()
    brokers = Brokers(selector)
    theirs = socket.socket(fileno=brokers.open(7, {}))
    theirs.close()  # readable: end of file
    ((key, _),) = selector.select(timeout=5)
    assert key.data == Wanted(7)
    brokers.close(7)
    brokers.serve(key.data, [])  # forks nothing
    assert not selector.get_map()
    with contextlib.suppress(ChildProcessError):  # no child at all
        assert os.waitpid(-1, os.WNOHANG) == (0, 0)
