"""The agents of docs/agents.md, taken from there, work as that page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Kbeval

PAGE = (ROOT / "docs" / "agents.md").read_text()


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert found
    return found.group(1)


def python_agent(folder: Path) -> str:
    (folder / "my_agent.py").write_text(block("python"))
    return f"{sys.executable} {folder}/my_agent.py"


def cpp_agent(folder: Path) -> str:
    (folder / "my_agent.cpp").write_text(block("cpp"))
    subprocess.run(
        ["g++", "-std=c++20", "my_agent.cpp", "-o", "my_agent"], cwd=folder, check=True, timeout=200
    )
    return f"{folder}/my_agent"


@pytest.mark.parametrize("make", [python_agent, cpp_agent])
def test_a_documented_agent_checks_and_submits(kbeval: Kbeval, tmp_path: Path, make: object) -> None:
    assert callable(make)
    candidate = ROOT / "examples" / "failing" / "forbidden.py"
    done = kbeval("episode", "L1_088", "--agent", f"exec:{make(tmp_path)} {candidate}", "--device", "cpu")
    assert done.code == 1, done.err
    assert "turn 1 of 6  CHECK  forbidden" in done.out
    assert "turn 2 of 6  SUBMIT  forbidden" in done.out
    assert "submitted after 2 turns" in done.out
