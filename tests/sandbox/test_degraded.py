"""Where a layer can't be had, the report says so, and a required one is an error."""

from __future__ import annotations

import os
import shutil

import pytest
from conftest import Sandbox

KINDS = {
    "user_ns": "user",
    "mount_ns": "mnt",
    "pid_ns": "pid",
    "net_ns": "net",
    "ipc_ns": "ipc",
    "uts_ns": "uts",
}


def without(layer: str) -> list[str]:
    """A command prefix: as root of a user namespace that gives no more namespaces of one kind."""
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("no unshare")
    limit = f"/proc/sys/user/max_{KINDS[layer]}_namespaces"
    return [unshare, "-U", "-r", "sh", "-c", f'echo 0 > {limit} && exec "$@"', "sh"]


@pytest.mark.parametrize("layer", KINDS)
def test_missing_namespace(confined: Sandbox, layer: str) -> None:
    result = confined.run("say(worked=True)", prefix=without(layer)).check()
    assert result["worked"] and not result.layers[layer]
    assert result["report"]["missing"][layer].startswith("unshare")
    assert "ENOSPC" in result["report"]["missing"][layer]
    assert (
        result.layers["seccomp"] and result.layers["no_new_privs"] and result.layers["capabilities_dropped"]
    )
    if layer == "mount_ns":
        assert result["report"]["missing"]["read_only_root"] == "no mount namespace"
    elif layer != "user_ns":
        assert result.layers["read_only_root"]


@pytest.mark.parametrize("layer", KINDS)
def test_required_namespace(confined: Sandbox, layer: str) -> None:
    result = confined.run("say(worked=True)", prefix=without(layer), config={"required": ["seccomp", layer]})
    assert f"required sandbox layers are missing: {layer} (unshare" in result["error"]
    assert "worked" not in result.raw


def test_root_of_a_namespace_is_not_called_dropped(confined: Sandbox) -> None:
    result = confined.run("pass", prefix=without("ipc_ns")).check()
    assert "can't become another user" in result["report"]["missing"]["uid_dropped"]


def test_leftovers_end_without_a_pid_namespace(confined: Sandbox) -> None:
    code = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1.5)
        open("survived", "w").close()
    os._exit(0)
time.sleep(0.2)
"""
    result = confined.run(code, prefix=without("pid_ns")).check()
    assert result["seconds"] < 1.4 and not result["timed_out"]
    assert not (confined.scratch / "survived").exists()


def test_sandbox_in_a_sandbox(confined: Sandbox) -> None:
    """Inside nearly every step is refused: the worst machine there is."""
    code = f"""
import os, sys
sys.path.insert(0, {str(confined.stage)!r})
from kbeval_harness import sandbox
pid = os.fork()
if pid == 0:
    try:
        report = sandbox.enter(sandbox.SandboxConfig(keep_fds=[1, 2, channel], cwd=os.getcwd()))
        say(inner=dict(report.layers), reasons=dict(report.missing))
    except sandbox.SandboxError as error:
        say(inner_error=str(error))
    os._exit(5)
say(inner_status=os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    result = confined.run(code).check()
    assert "inner_error" not in result.raw, result["inner_error"]
    present = {layer for layer, there in result["inner"].items() if there}
    assert present <= {"no_new_privs", "capabilities_dropped", "uid_dropped", "not_dumpable"}
    assert result["reasons"]["mount_ns"] == "unshare: EPERM: Operation not permitted"
    assert result["reasons"]["seccomp"].startswith("prctl(PR_SET_SECCOMP): EPERM")
    assert result["inner_status"] == 5
    assert os.WIFEXITED(result["status"])
