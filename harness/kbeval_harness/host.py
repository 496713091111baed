"""The runner host: imports PyTorch once, makes no CUDA context, and forks a fresh runner for every job.

It speaks ``protocol.json`` with kbeval over descriptor ``argv[1]``. When that channel closes it kills its runners
and ends. Run as ``python -m kbeval_harness.host FD``.
"""

from __future__ import annotations

import contextlib
import gc
import os
import platform
import selectors
import signal
import socket
import sys
from typing import Any

from .build_broker import Brokers, Wanted
from .wire import Channel, PeerClosed, channel_from_fd, schema

Json = dict[str, Any]
FREEZE_SECONDS = 5.0


def import_everything() -> Json:
    """Import what runners need, so that a fork finds it in memory. Returns the versions."""
    import torch
    import torch._dynamo
    import torch._inductor
    import torch.utils.cpp_extension
    import triton
    import triton.language

    from . import extension_build, native, runner  # noqa: F401

    extension_build.toolchain()  # once for all runners
    build = native.module().build_info()
    if torch.cuda.is_initialized():
        raise RuntimeError("the runner host must have no CUDA context")
    # What is imported stays: collections in the runners need not look at it, nor copy its pages.
    gc.collect()
    gc.freeze()
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "cuda": torch.version.cuda or "",
        "native": str(build),
    }


class Host:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._pids: dict[int, int] = {}
        self._controls: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        self._brokers = Brokers(self._selector)
        self._selector.register(channel, selectors.EVENT_READ, None)

    def spawn(self, number: int, role: str, config: Json, fds: list[int]) -> None:
        channel_fd, log_fd = fds
        parent = os.getpid()
        ours, theirs = socket.socketpair() if config.get("sandbox") else (None, None)
        control_fd = theirs.fileno() if theirs else -1
        build_fd = self._brokers.open(number, config) if role == "candidate" else -1
        pid = os.fork()
        if pid == 0:
            self._become_runner(parent, role, config, (channel_fd, log_fd, control_fd, build_fd))
        if ours and theirs:
            theirs.close()
            ours.settimeout(FREEZE_SECONDS)
            self._controls[number] = ours
        if build_fd >= 0:
            os.close(build_fd)
        os.close(channel_fd)
        os.close(log_fd)
        self._pids[number] = pid
        self._selector.register(os.pidfd_open(pid), selectors.EVENT_READ, number)
        self._channel.send({"type": "spawned", "runner": number, "pid": pid})

    def _become_runner(self, parent: int, role: str, config: Json, fds: tuple[int, int, int, int]) -> None:
        """``fds``: as in ``runner.Descriptors``."""
        try:
            os.setsid()
            die_with_parent(parent)
            if role == "candidate":
                go_first_when_memory_is_short()
            self._selector.close()
            self._channel.close()
            for others in self._controls.values():
                others.close()
            os.environ.update(config.get("env", {}))
            os.chdir(config["scratch"])
            from . import runner

            runner.run(role, config, runner.Descriptors(*fds))
        except BaseException:
            import traceback

            with contextlib.suppress(BaseException):
                os.write(fds[1], traceback.format_exc().encode())
        finally:
            os._exit(70)

    def freeze(self, number: int, frozen: bool) -> None:
        """Stop or continue everything in a runner's sandbox, or a trusted runner, which has none; answered by
        ``frozen``, with ok false where it can't be."""
        control = self._controls.get(number)
        order = b"F" if frozen else b"T"
        ok = False
        with contextlib.suppress(OSError):
            if control is not None:
                control.sendall(order)
                ok = control.recv(1) == order
            elif number in self._pids:
                os.kill(self._pids[number], signal.SIGSTOP if frozen else signal.SIGCONT)
                ok = True
        self._channel.send({"type": "frozen", "runner": number, "ok": ok})

    def kill(self, number: int) -> None:
        pid = self._pids.get(number)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)  # it may not lead its group yet

    def reap(self, number: int, pidfd: int) -> None:
        pid = self._pids.pop(number)
        control = self._controls.pop(number, None)
        if control is not None:
            control.close()
        self._brokers.close(number)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # what a runner left behind in its process group
        _, status = os.waitpid(pid, 0)
        self._selector.unregister(pidfd)
        os.close(pidfd)
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1
        sent = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        self._channel.send({"type": "exited", "runner": number, "code": code, "signal": sent})

    def serve(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if isinstance(key.data, Wanted):
                    self._brokers.serve(key.data, [self._channel.fileno()])
                    continue
                if key.data is not None:
                    self.reap(key.data, key.fd)
                    continue
                message, fds = self._channel.recv()
                if message["type"] == "spawn":
                    self.spawn(message["runner"], message["role"], message["config"], fds)
                elif message["type"] == "kill":
                    self.kill(message["runner"])
                elif message["type"] == "freeze":
                    self.freeze(message["runner"], message["frozen"])

    def kill_all(self) -> None:
        for number in list(self._pids):
            self.kill(number)
            self._brokers.close(number)


def go_first_when_memory_is_short() -> None:
    """Let the kernel end this process and its children, and nothing else, where a candidate eats all memory."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


def die_with_parent(parent: int) -> None:
    """Ask the kernel to kill this process when its parent ends (PR_SET_PDEATHSIG)."""
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(70)


def main() -> int:
    channel = channel_from_fd(int(sys.argv[1]))
    versions = import_everything()
    channel.send({"type": "hello", "protocol": schema()["version"], "pid": os.getpid(), "versions": versions})
    host = Host(channel)
    try:
        host.serve()
    except PeerClosed:
        pass
    finally:
        host.kill_all()
    return 0


if __name__ == "__main__":
    sys.exit(main())
