"""kbeval's own processes are killed: the evaluation is judged all the same, and nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from conftest import BINARY, ROOT


def children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def wait_for_runners(kbeval: int) -> int:
    """The host's process id, once it has forked runners."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for child in children(kbeval):
            if len(children(child)) >= 3:
                return child
        time.sleep(0.02)
    raise AssertionError("no runners were forked")


def start(tmp_path: Path, candidate: Path) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "KBEVAL_DB": str(tmp_path / "db" / "k.db"),
        "KBEVAL_CACHE": str(tmp_path / "cache"),
    }
    return subprocess.Popen(
        [BINARY, "check", "L1_088", candidate, "--device", "cpu", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )


def test_a_killed_host_is_replaced(tmp_path: Path) -> None:
    process = start(tmp_path, ROOT / "examples" / "L1_088_gelu_triton.py")
    os.kill(wait_for_runners(process.pid), signal.SIGKILL)
    out, err = process.communicate(timeout=200)
    verdict = json.loads(out)
    assert verdict["status"] == "correct", err.decode()
    assert any("judged a second time" in note for note in verdict["notes"])
    assert process.returncode == 0


def test_runners_end_with_kbeval(tmp_path: Path) -> None:
    process = start(tmp_path, ROOT / "examples" / "failing" / "timeout.py")
    host = wait_for_runners(process.pid)
    runners = children(host)
    inner = [grandchild for runner in runners for grandchild in children(runner)]
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 20
    left = [host, *runners, *inner]
    while left and time.monotonic() < deadline:
        left = [pid for pid in left if Path(f"/proc/{pid}").exists() and "Z" not in state(pid)]
        time.sleep(0.05)
    assert not left


def state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"
