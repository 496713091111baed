"""What a user meets: help, mistakes, lists, and machines that lack something."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from conftest import BINARY, ROOT, Kbeval

CANDIDATE = ROOT / "examples" / "L1_088_gelu_triton.py"


@pytest.mark.parametrize(
    "command",
    [
        [], ["run"], ["check"], ["batch"], ["problems"], ["problems", "list"], ["problems", "show"], ["log"], ["show"],
        ["report"], ["doctor"], ["completion"],
    ],
)  # fmt: skip
def test_help_has_an_example(kbeval: Kbeval, command: list[str]) -> None:
    result = kbeval(*command, "--help")
    assert result.code == 0
    assert "Example" in result.out


def test_version_names_the_evaluator_and_is_quick(kbeval: Kbeval) -> None:
    times = []
    for _ in range(7):
        start = time.perf_counter()
        result = kbeval("--version")
        times.append(time.perf_counter() - start)
    assert result.out.startswith("kbeval 0.")
    assert len(result.out.split()[-1]) == 16
    assert min(times) < 0.03


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["run", "L2_777", CANDIDATE], 2, "unknown problem 'L2_777'"),
        (["run", "L1_88", "absent.py"], 2, "absent.py: no such file"),
        (["run", "L1_088", ROOT], 2, "is a directory"),
        (["run", "L1_088"], 2, "CANDIDATE is required"),
        (["run", "L1_088", CANDIDATE, "--device", "gpu"], 2, "neither cpu nor cuda:N"),
        (["run", "L1_088", CANDIDATE, "--size", "tiny"], 2, "--size"),
        (["run", "L1_088", CANDIDATE, "--seeds", "0"], 2, "--seeds"),
        (["run", "L1_088", CANDIDATE, "--atol", "1e-3"], 2, "--rtol"),
        (["run", "L1_088", CANDIDATE, "--device", "cpu", "--db", ROOT], 2, ""),
        (["log", "--status", "wrong"], 2, "incorrect"),
        (["show", "zzzz"], 2, "nothing has been recorded there yet"),
        (["frobnicate"], 2, ""),
        ([], 2, ""),
        (["batch", "absent.jsonl"], 2, "absent.jsonl: no such file"),
    ],
)
def test_mistakes_are_explained(kbeval: Kbeval, arguments: list[str], code: int, text: str) -> None:
    result = kbeval(*arguments)
    assert text in result.err + result.out
    assert result.code in (code, 3) if "--db" in arguments else result.code == code


def test_an_unknown_problem_names_its_neighbours(kbeval: Kbeval) -> None:
    assert "L2_076" in kbeval("run", "L2_0767", CANDIDATE).err
    assert "L1_088_MinGPTNewGelu" in kbeval("problems", "show", "MinGPTNewGelu").err


def test_a_source_that_is_not_utf8(kbeval: Kbeval, tmp_path: Path) -> None:
    file = tmp_path / "latin.py"
    file.write_bytes(b"x = '\xe9'\n")
    result = kbeval("run", "L1_088", file, "--device", "cpu")
    assert result.code == 2
    assert "latin.py: is not UTF-8: malformed byte at offset 5" in result.err


def test_a_bad_manifest_names_the_line(kbeval: Kbeval, tmp_path: Path) -> None:
    manifest = tmp_path / "m.jsonl"
    (tmp_path / "x.py").write_text("")
    manifest.write_text('{"problem":"L1_088","path":"x.py"}\n{"problem":"L9_001","path":"x.py"}\n')
    assert "m.jsonl:2: unknown problem" in kbeval("batch", manifest).err
    manifest.write_text("{oops\n")
    assert "m.jsonl:1: needs a JSON object" in kbeval("batch", manifest).err


def test_problems_list_and_show(kbeval: Kbeval) -> None:
    everything = kbeval("problems", "list", "--json").json
    assert len(everything) >= 35
    level1 = kbeval("problems", "list", "--level", "1", "--json").json
    assert {p["level"] for p in level1} == {1}
    family = kbeval("problems", "list", "--family", "matmul", "--json").json
    assert 0 < len(family) < len(everything)
    shown = kbeval("problems", "show", "l2_76")
    assert "class Model(nn.Module)" in shown.out
    assert "atol=0.0001 rtol=0.0001" in shown.out
    assert "tensor[1024, 8192]:float32" in shown.out


def test_nothing_but_text_in_a_pipe(kbeval: Kbeval) -> None:
    result = kbeval("check", "L1_088", CANDIDATE, "--device", "cpu")
    assert "\x1b" not in result.out + result.err
    assert "\r" not in result.out + result.err
    assert "correct" in result.out


def test_no_gpu_is_said_with_what_to_do(kbeval: Kbeval) -> None:
    if Path("/dev/nvidiactl").exists():
        pytest.skip("this machine has a GPU")
    result = kbeval("run", "L1_088", CANDIDATE, "--device", "cuda:0")
    assert result.code == 3
    assert "no NVIDIA driver" in result.err
    assert "--device cpu" in result.err


def copy_without_libraries(tmp_path: Path) -> Path:
    bare = tmp_path / "bare"
    (bare / "bin").mkdir(parents=True)
    shutil.copy(BINARY, bare / "bin" / "kbeval")
    for name in ("harness", "problems"):
        shutil.copytree(ROOT / name, bare / name)
    return bare / "bin" / "kbeval"


def test_an_untouched_machine(tmp_path: Path) -> None:
    """No torch, nothing built: said with the remedy, exit 3; the log works all the same."""
    binary = copy_without_libraries(tmp_path)
    environment = {"PATH": "/nowhere", "HOME": str(tmp_path), "KBEVAL_DB": str(tmp_path / "k.db")}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [binary, *arguments], capture_output=True, text=True, env=environment, timeout=60, check=False
        )

    missing = run("run", "L1_088", str(CANDIDATE), "--device", "cpu")
    assert missing.returncode == 3
    assert "no Python found" in missing.stderr
    assert "scripts/setup" in missing.stderr
    environment["KBEVAL_PYTHON"] = shutil.which("python3") or ""
    missing = run("run", "L1_088", str(CANDIDATE), "--device", "cpu")
    assert missing.returncode == 3
    assert "kbeval_native is not built" in missing.stderr
    doctor = run("doctor")
    assert doctor.returncode == 3
    assert "MISSING" in doctor.stdout
    assert "-> run scripts/setup" in doctor.stdout
    assert run("problems", "list").returncode == 0
    log = run("log")
    assert "Traceback" not in log.stderr
    assert log.returncode in (0, 2)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_parse(kbeval: Kbeval, shell: str) -> None:
    script = kbeval("completion", shell).out
    assert "run" in script
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run(
        [program, "-n", "-c", script] if shell != "fish" else [program, "-n"],
        input=script,
        text=True,
        check=True,
    )


def test_bash_completion_completes(kbeval: Kbeval) -> None:
    script = kbeval("completion", "bash").out + (
        "\nCOMP_WORDS=(kbeval run L2_07); COMP_CWORD=2; _kbeval; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
        "COMP_WORDS=(kbeval pro); COMP_CWORD=1; _kbeval; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
    )
    environment = {**os.environ, "PATH": f"{BINARY.parent}:{os.environ['PATH']}"}
    out = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=environment, check=True
    ).stdout
    assert {"L2_070", "L2_076", "problems"} <= set(out.split())


def test_a_machine_without_a_compiler_is_no_fault_of_the_candidate(kbeval: Kbeval, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "python3").symlink_to(ROOT / ".venv" / "bin" / "python")
    result = kbeval(
        "check",
        "L1_088",
        ROOT / "examples" / "L1_088_gelu_cpp.py",
        "--device",
        "cpu",
        "--json",
        env={"PATH": str(tools)},
    )
    assert (result.code, result.json["status"]) == (3, "infra_error")
    assert "no g++: apt-get install g++" in result.json["message"]
