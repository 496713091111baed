"""Sizes that are bounded, the configuration's checks, and what entering costs."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest
from conftest import Sandbox


def test_tmpfs_size(confined: Sandbox) -> None:
    code = """
def fill(path):
    written = 0
    try:
        with open(path, "wb", buffering=0) as file:
            while written < 64 << 20:
                written += file.write(bytes(1 << 20))
    except OSError as error:
        return written >> 20, error.strerror
    return written >> 20, "no limit"
say(tmp=fill("/tmp/big"), shm=fill("/dev/shm/big"))
"""
    result = confined.run(code, config={"tmp_bytes": 8 << 20}).check()
    assert result["tmp"] == result["shm"] == [8, "No space left on device"]


def test_tmpfs_files(confined: Sandbox) -> None:
    code = """
made = 0
try:
    while made < 100000:
        open(f"/tmp/{made}", "w").close()
        made += 1
except OSError as error:
    say(made=made, reason=error.strerror)
"""
    result = confined.run(code, config={"tmp_bytes": 8 << 20}).check()
    assert result["made"] < 2100 and result["reason"] == "No space left on device"


def test_file_size(sandbox: Sandbox) -> None:
    code = """
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
open("big", "wb").write(bytes(5 << 20))
"""
    result = sandbox.run(code, config={"limits": {"file_bytes": 1 << 20}})
    assert os.WTERMSIG(result["status"]) == signal.SIGXFSZ
    assert (sandbox.scratch / "big").stat().st_size <= 1 << 20


def test_memory_and_open_files(sandbox: Sandbox) -> None:
    code = """
import os, resource
try:
    bytearray(400 << 20)
except MemoryError:
    say(memory="refused")
try:
    for _ in range(1000):
        os.dup(1)
except OSError as error:
    say(files=error.strerror)
os.closerange(10, 200)
say(core=resource.getrlimit(resource.RLIMIT_CORE), space=resource.getrlimit(resource.RLIMIT_AS)[0])
"""
    limits = {"data_bytes": 200 << 20, "open_files": 100}
    result = sandbox.run(code, config={"limits": limits}).check()
    assert result["memory"] == "refused" and result["files"] == "Too many open files"
    assert result["core"] == [1, 1] and result["space"] == -1
    assert result.layers["data_limit"]


def test_cpu_time(sandbox: Sandbox) -> None:
    result = sandbox.run("while True: pass", config={"limits": {"cpu_seconds": 1}}, timeout=20)
    assert os.WTERMSIG(result["status"]) in {signal.SIGXCPU, signal.SIGKILL} and not result["timed_out"]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"ro_paths": ["relative"]}, "'ro_paths': 'relative' must be an absolute path"),
        ({"ro_paths": ["/usr/../root"]}, "must not hold '.' or '..'"),
        ({"ro_paths": ["/"]}, "'/' is made by the sandbox itself"),
        ({"ro_paths": ["/proc/1"]}, "'/proc/1' is made by the sandbox itself"),
        ({"ro_paths": "x"}, "'ro_paths': must be a list"),
        ({"rw_paths": ["/nonexistent/kbeval"]}, "rw_paths: /nonexistent/kbeval: ENOENT"),
        ({"rw_paths": ["/usr"]}, "rw_paths: /usr can't be written by user"),
        ({"device_paths": ["/etc/passwd"]}, "must be below /dev"),
        ({"uid": 0}, "'uid': must be 1 to 4294967294"),
        ({"tmp_bytes": 0}, "'tmp_bytes': must be above 0"),
        ({"tmp_bytes": -1}, "'tmp_bytes': must be a whole number"),
        ({"env": {"A=B": "x"}}, "'env': a name must not"),
        ({"env": {"A": 1}}, "'env.A': must be a string"),
        ({"required": ["moat"]}, "'moat' is not a layer"),
        ({"cwd": "/nonexistent"}, "cwd /nonexistent: ENOENT"),
        ({"hostname": ""}, "'hostname': must be 1 to 64 bytes"),
        ({"required": ["cgroup_pids"]}, "required sandbox layers are missing: cgroup_pids (not configured"),
    ],
)
def test_bad_configuration(confined: Sandbox, config: dict[str, Any], message: str) -> None:
    result = confined.run("say(entered=True)", config=config)
    assert message in result["error"] and "entered" not in result.raw
    assert os.WEXITSTATUS(result["status"]) == 97


@pytest.mark.parametrize("text", ["", "[]", "{", '{"colour": 1}', '{"limits": {"x": 1}}', '{"a":' * 100000])
def test_malformed_json(sandbox: Sandbox, text: str) -> None:
    host = f"from kbeval_harness import sandbox; sandbox.SandboxConfig.to_json = lambda self: {text!r}"
    result = sandbox.run("say(entered=True)", host_code=host)
    assert result["error"].startswith("sandbox configuration") and "entered" not in result.raw


def test_cgroup_parent_that_is_none(sandbox: Sandbox) -> None:
    config = {"cgroup_parent": "/usr", "limits": {"processes": 100}}
    result = sandbox.run("pass", config=config).check()
    assert result["report"]["missing"]["cgroup_pids"] == "/usr: is no cgroup v2 folder"


def test_time_to_enter(confined: Sandbox, record_property: Any) -> None:
    times = sorted(confined.run("pass").check()["report"]["enter_us"] for _ in range(10))
    record_property("enter_us_median", times[5])
    print(f"\nentering as {confined.caller}: median {times[5] / 1000:.1f} ms, least {times[0] / 1000:.1f} ms")
    assert times[5] < 20_000


def test_time_to_enter_after_importing_torch(confined: Sandbox, record_property: Any) -> None:
    pytest.importorskip("torch")
    times = sorted(
        confined.run("pass", import_torch=True, timeout=120).check()["report"]["enter_us"] for _ in range(3)
    )
    record_property("enter_us_median", times[1])
    print(f"\nentering as {confined.caller} with torch: median {times[1] / 1000:.1f} ms")
    assert times[1] < 100_000
