"""Builds the sandbox library, and runs code inside sandboxes as root and as an ordinary user."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
USER = 12345
SYSTEM_PATHS = ["/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives"]


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The native library: KBEVAL_SANDBOX_LIB, or built here."""
    if "KBEVAL_SANDBOX_LIB" in os.environ:
        return Path(os.environ["KBEVAL_SANDBOX_LIB"])
    build = tmp_path_factory.mktemp("sandbox-build")
    for command in (
        ["cmake", "-S", str(REPOSITORY / "harness/sandbox"), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release"],
        ["cmake", "--build", str(build)],
    ):
        subprocess.run(command, check=True)
    return build / "libkbeval_sandbox.so"


@pytest.fixture(scope="session")
def stage(library: Path) -> Iterator[Path]:
    """A folder that every user may read, with all that the small host needs."""
    folder = Path("/tmp") / f"kbeval-sandbox-tests-{os.getpid()}"
    (folder / "kbeval_harness").mkdir(parents=True)
    for name in ("__init__.py", "sandbox.py"):
        shutil.copy(REPOSITORY / "harness/kbeval_harness" / name, folder / "kbeval_harness" / name)
    shutil.copy(library, folder / "kbeval_harness/libkbeval_sandbox.so")
    shutil.copy(Path(__file__).with_name("sandbox_host.py"), folder)
    subprocess.run(["chmod", "-R", "a+rX", str(folder)], check=True)
    yield folder
    shutil.rmtree(folder)


def become(caller: str) -> list[str]:
    if caller == "user" and os.geteuid() == 0:
        return ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups"]
    return []


def find_python(caller: str, statement: str) -> tuple[str, dict[str, str]] | None:
    """An interpreter of the caller in which `statement` works, with the environment it needs."""
    packages = [path for path in sys.path if path.endswith("site-packages")]
    for python in (sys.executable, "/usr/bin/python3"):
        environment = {} if python == sys.executable else {"PYTHONPATH": ":".join(packages)}
        # setpriv still has root's rights when it starts the program, hence the look at the program itself.
        usable = "import os, sys; assert os.access(os.path.realpath(sys.executable), os.X_OK)"
        command = [*become(caller), python, "-c", f"{usable}; {statement}"]
        try:
            done = subprocess.run(
                command,
                check=False,
                env={"PATH": "/usr/bin:/bin", **environment},
                capture_output=True,
                cwd="/",
            )
        except OSError:
            continue
        if done.returncode == 0:
            return python, environment
    return None


def python_paths() -> list[str]:
    """Where the interpreters and their packages lie."""
    found = {sys.prefix, sys.base_prefix, *(path for path in sys.path if path.endswith("site-packages"))}
    return [path for path in sorted(found) if not path.startswith("/usr")]


@dataclass
class Result:
    """What came of one run."""

    raw: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        assert key in self.raw, self.raw
        return self.raw[key]

    @property
    def layers(self) -> dict[str, bool]:
        layers: dict[str, bool] = self["report"]["layers"]
        return layers

    def check(self) -> Result:
        assert self.raw["status"] == 0, self.raw.get("traceback") or self.raw.get("error") or self.raw
        return self


@dataclass
class Sandbox:
    """Runs code in a sandbox on behalf of one kind of caller."""

    caller: str
    stage: Path
    scratch: Path
    uid_inside: int = 0
    config: dict[str, Any] = field(default_factory=dict)

    def job(self, code: str, **options: Any) -> dict[str, Any]:
        config = {
            "ro_paths": [*SYSTEM_PATHS, *python_paths(), str(self.stage)],
            "rw_paths": [str(self.scratch)],
            "cwd": str(self.scratch),
            "env": {"PATH": "/usr/bin:/bin", "TMPDIR": str(self.scratch), "HOME": str(self.scratch)},
            **self.config,
            **options.pop("config", {}),
        }
        return {"config": config, "code": code, **options}

    def start(self, code: str, **options: Any) -> subprocess.Popen[str]:
        """Starts the host; its job is sent already."""
        python = find_python(self.caller, "import torch" if options.get("import_torch") else "pass")
        if python is None:
            pytest.skip(f"{self.caller} has no interpreter with torch")
        environment = {"PATH": "/usr/bin:/bin", "KBEVAL_TEST_SECRET": "outside", **python[1]}
        prefix = options.pop("prefix", ())
        if prefix:
            self.scratch.chmod(0o777)  # the command may change what user the caller is
        process = subprocess.Popen(
            [
                *become(self.caller),
                *prefix,
                python[0],
                str(self.stage / "sandbox_host.py"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            cwd="/",
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(self.job(code, **options)))
        process.stdin.close()
        process.stdin = None
        return process

    def run(self, code: str, **options: Any) -> Result:
        process = self.start(code, **options)
        output, errors = process.communicate(timeout=options.get("timeout", 60) + 30)
        assert process.returncode == 0, errors
        result = Result(json.loads(output.splitlines()[-1]))
        result.raw["stderr"] = errors
        result.raw["stdout"] = output
        return result


@pytest.fixture(params=["root", "user"])
def sandbox(request: pytest.FixtureRequest, stage: Path) -> Iterator[Sandbox]:
    caller = request.param
    if caller == "root" and os.geteuid() != 0:
        pytest.skip("not root")
    scratch = stage / f"scratch-{request.node.name.replace('/', '_')[:80]}"
    scratch.mkdir()
    uid = os.geteuid()
    if os.geteuid() == 0:
        uid = 65534 if caller == "root" else USER
        os.chown(scratch, uid, uid)
    yield Sandbox(caller, stage, scratch, uid)
    shutil.rmtree(scratch, ignore_errors=True)


@pytest.fixture
def confined(sandbox: Sandbox) -> Sandbox:
    """A sandbox with all its namespaces; skips where this machine gives none to this caller."""
    probe = sandbox.run("pass")
    if not probe.layers["mount_ns"] or not probe.layers["pid_ns"]:
        pytest.skip(f"{sandbox.caller} gets no namespaces here: {probe['report']['missing']}")
    return sandbox
