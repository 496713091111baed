"""Real work inside: compilers, torch, extension builds."""

from __future__ import annotations

import os
import shutil
import sys

import pytest
from conftest import Sandbox


def test_compile_and_run(confined: Sandbox) -> None:
    if shutil.which("gcc", path="/usr/bin") is None:
        pytest.skip("no gcc")
    code = r"""
import subprocess
open("hello.c", "w").write('#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n')
subprocess.run(["gcc", "-O2", "hello.c", "-o", "hello"], check=True)
say(output=subprocess.run(["./hello"], capture_output=True, text=True, check=True).stdout)
"""
    assert confined.run(code, config={"limits": {"processes": 100}}).check()["output"] == "hello\n"


def test_torch_imported_before(confined: Sandbox) -> None:
    pytest.importorskip("torch")
    code = (
        "import torch; x = torch.ones(64, 64); say(sum=float((x @ x).sum()), threads=torch.get_num_threads())"
    )
    result = confined.run(code, import_torch=True, config={"limits": {"processes": 200}}, timeout=120).check()
    assert result["sum"] == 64.0**3


def test_torch_imported_inside(confined: Sandbox) -> None:
    pytest.importorskip("torch")
    code = """
import subprocess, sys
script = "import torch; x = torch.ones(64, 64); print(float((x @ x).sum()), torch.cuda.is_available())"
done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
say(out=done.stdout, err=done.stderr)
"""
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": ":".join(p for p in sys.path if p.endswith("-packages")),
    }
    result = confined.run(code, import_torch=True, config={"env": environment}, timeout=120).check()
    assert result["out"].startswith("262144.0"), result["err"]


def test_extension_build(confined: Sandbox) -> None:
    pytest.importorskip("torch")
    code = """
import os, torch
from torch.utils.cpp_extension import load_inline
module = load_inline("kbeval_twice", "torch::Tensor twice(torch::Tensor x) { return x + x; }",
                     functions=["twice"], build_directory=os.getcwd())
say(result=module.twice(torch.ones(3)).tolist())
"""
    config = {
        "env": {
            "PATH": f"{os.path.dirname(sys.executable)}:/usr/bin:/bin",
            "TMPDIR": str(confined.scratch),
            "HOME": str(confined.scratch),
            "MAX_JOBS": "1",
        },
        "limits": {"processes": 200, "file_bytes": 1 << 30},
    }
    result = confined.run(code, import_torch=True, config=config, timeout=400).check()
    assert result["result"] == [2.0, 2.0, 2.0]
