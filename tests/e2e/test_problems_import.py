"""`kbeval problems import`: layouts, and folders that mean harm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import ROOT, Kbeval, Result

RELU = (ROOT / "problems/level1/L1_019_ReLU.py").read_text(encoding="utf-8").replace("4096", "16")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"KBEVAL_PROBLEMS": str(tmp_path / "imported")}


def test_a_checkout_keeps_levels_and_numbers(
    kbeval: Kbeval, tmp_path: Path, environment: dict[str, str]
) -> None:
    level = tmp_path / "checkout" / "KernelBench" / "level1"
    level.mkdir(parents=True)
    (level / "7_My_ReLU.py").write_text(RELU)
    (tmp_path / "checkout" / "setup.py").write_text("import no_such_thing")
    result = kbeval("problems", "import", tmp_path / "checkout", "--prefix", "KB", env=environment)
    assert (result.code, result.err) == (0, "")
    shown = kbeval("problems", "show", "KB_L1_007", "--json", env=environment).json
    assert (shown["name"], shown["level"], shown["family"]) == ("My_ReLU", 1, "activation")
    assert shown["source"] == RELU and shown["costs"]["flops"] > 0
    listed = kbeval("problems", "list", "--json", env=environment).json
    assert len(listed) == 251
    again = kbeval("problems", "import", tmp_path / "checkout", "--prefix", "KB", env=environment)
    assert again.code == 0, "an import replaces the one before"


def test_bad_files_are_listed_and_the_rest_imported(
    kbeval: Kbeval, tmp_path: Path, environment: dict[str, str]
) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    (tmp_path / "secret.py").write_text(RELU)
    (folder / "good.py").write_text(RELU)
    (folder / "syntax.py").write_text("def broken(:")
    (folder / "missing.py").write_text("class Model: pass\n")
    (folder / "loop.py").write_text(RELU + "\nwhile True: pass\n")
    (folder / "raises.py").write_text(RELU + "\nraise SystemExit(0)\n")
    (folder / "kills.py").write_text(RELU + "\nimport os\nos.kill(os.getpid(), 9)\n")
    (folder / "writes.py").write_text(RELU + f"\nopen({str(tmp_path / 'written')!r}, 'w')\n")
    (folder / "huge.py").write_text("#" * (2 << 20))
    (folder / "latin.py").write_bytes(b"# \xe9\n")
    (folder / "link.py").symlink_to(tmp_path / "secret.py")
    (folder / "up").symlink_to(tmp_path)
    with open(os.fsencode(folder) + b"/n\xff.py", "w", encoding="utf-8") as file:
        file.write(RELU)
    result: Result = kbeval(
        "problems", "import", folder, "--prefix", "S", "--timeout", "3", "--json", env=environment
    )
    assert result.code == 0, result.err
    files = {f["file"]: f for f in result.json["files"]}
    assert files["good.py"]["id"] == "S_good"
    refused = {
        "syntax.py": "parse: line 1",
        "missing.py": "parse: defines no get_inputs",
        "loop.py": "did not finish within 3 s",
        "raises.py": "SystemExit",
        "kills.py": "signal 9",
        "writes.py": "cannot be executed",
        "huge.py": "larger",
        "latin.py": "not UTF-8 at byte 2",
        "link.py": "symbolic link",
        "n\ufffd.py": "its name is not UTF-8",
    }
    for name, reason in refused.items():
        assert files[name]["id"] is None, name
        assert reason in files[name]["reason"], files[name]
    assert set(files) == {"good.py", *refused}
    assert not (tmp_path / "written").exists()


def test_bad_usage(kbeval: Kbeval, tmp_path: Path, environment: dict[str, str]) -> None:
    assert kbeval("problems", "import", tmp_path / "absent", env=environment).code == 2
    assert kbeval("problems", "import", tmp_path, "--prefix", "L2_1", env=environment).code == 2
    assert kbeval("problems", "import", tmp_path, "--prefix", "../x", env=environment).code == 2
