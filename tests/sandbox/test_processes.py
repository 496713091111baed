"""How processes end, and that nothing stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Sandbox


def processes_with(marker: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and marker in (entry / "cmdline").read_text():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def wait_until(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("code", [0, 3, 97, 255])
def test_exit_status(sandbox: Sandbox, code: int) -> None:
    status = sandbox.run(f"import os; os._exit({code})")["status"]
    assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == code


@pytest.mark.parametrize(
    "number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGSYS]
)
def test_signals(sandbox: Sandbox, number: signal.Signals) -> None:
    code = f"""
import os, signal
if {int(number)} != signal.SIGKILL:
    signal.signal({int(number)}, signal.SIG_DFL)
os.kill(os.getpid(), {int(number)})
"""
    status = sandbox.run(code)["status"]
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == number and not os.WCOREDUMP(status)


def test_segfault_by_memory_access(sandbox: Sandbox) -> None:
    status = sandbox.run("import ctypes; ctypes.string_at(0)")["status"]
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGSEGV


DAEMON = """
import os, time
for _ in range(3):
    if os.fork():
        break
    os.setsid()
else:
    os.execv("/bin/sleep", ["MARKER", "300.25"])
if os.getpid() != 2:
    os._exit(0)
time.sleep(0.3)
zombies = [p for p in os.listdir("/proc") if p.isdigit() and ") Z " in open(f"/proc/{p}/stat").read()]
say(zombies=len([p for p in zombies if open(f"/proc/{p}/stat").read().split(") Z ")[1].split()[0] == "1"]))
"""


def test_daemons_end_with_the_runner(confined: Sandbox) -> None:
    marker = f"kbeval-daemon-{confined.caller}-{os.getpid()}"
    result = confined.run(DAEMON.replace("MARKER", marker) + "say(up=True)").check()
    assert result["up"] and result["zombies"] == 0
    assert processes_with(marker) == []


def test_everything_ends_with_the_supervisor(confined: Sandbox) -> None:
    marker = f"kbeval-daemon-{confined.caller}-{os.getpid()}"
    host = """
import os, signal, time
def after_fork(pid):
    while not os.path.exists(job["config"]["cwd"] + "/up"):
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
"""
    code = DAEMON.replace("MARKER", marker) + "open('up', 'w').close(); time.sleep(300)"
    result = confined.run(code, host_code=host, timeout=20)
    assert os.WTERMSIG(result["status"]) == signal.SIGKILL and not result["timed_out"]
    assert wait_until(lambda: processes_with(marker) == [])


def test_everything_ends_with_the_host(confined: Sandbox) -> None:
    marker = f"kbeval-daemon-{confined.caller}-{os.getpid()}"
    code = DAEMON.replace("MARKER", marker) + "open('up', 'w').close(); time.sleep(300)"
    host: subprocess.Popen[str] = confined.start(code)
    assert wait_until((confined.scratch / "up").exists, 20)
    assert processes_with(marker) != []
    host.kill()
    host.communicate()
    assert wait_until(lambda: processes_with(marker) == [])


FORK_BOMB = """
import os, time
def bomb():
    made = 0
    while made < 2000:
        try:
            pid = os.fork()
        except OSError as error:
            return made, error.strerror
        if pid == 0:
            time.sleep(300)
        made += 1
    return made, "no limit"
made, reason = bomb()
say(made=made, reason=reason)
"""


def test_fork_bomb_is_bounded(sandbox: Sandbox) -> None:
    result = sandbox.run(FORK_BOMB, config={"limits": {"processes": 40}}).check()
    assert 30 <= result["made"] <= 40 and result["reason"] == "Resource temporarily unavailable"
    assert result.layers["nproc_limit"]


def test_process_limits_of_two_sandboxes_are_apart(confined: Sandbox) -> None:
    """The kernel counts by user namespace; one full sandbox must not starve another of the same user."""
    marker = confined.scratch / "full"
    first = confined.start(
        FORK_BOMB + f"open({str(marker)!r}, 'w').close(); time.sleep(20)",
        config={"limits": {"processes": 40}},
    )
    try:
        assert wait_until(marker.exists, 20)
        assert confined.run(FORK_BOMB, config={"limits": {"processes": 40}}).check()["made"] >= 30
    finally:
        first.kill()
        first.communicate()


def test_process_of_several_threads_is_refused(sandbox: Sandbox) -> None:
    """In the child itself: a thread of the parent does not come along."""
    host = """
import threading, time
from kbeval_harness import sandbox
enter = sandbox.enter
def with_thread(*arguments):
    threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
    return enter(*arguments)
sandbox.enter = with_thread
"""
    assert "has 2 threads" in sandbox.run("pass", host_code=host)["error"]
