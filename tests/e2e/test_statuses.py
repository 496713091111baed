"""Every status, reached by a real run, and read back from the database."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT, Kbeval

EXAMPLES = ROOT / "examples"
FAILING = EXAMPLES / "failing"
CPU = ("--device", "cpu", "--json")


def stored(kbeval: Kbeval, identity: str) -> dict[str, object]:
    shown = kbeval("show", identity, "--json")
    assert shown.code == 0, shown.err
    record: dict[str, object] = shown.json
    return record


@pytest.mark.parametrize(
    ("file", "status", "message", "options"),
    [
        ("incorrect.py", "incorrect", "output mismatch beyond atol=rtol=0.0001: max_abs_diff=", []),
        ("compile_error.py", "compile_error", "was not declared in this scope", []),
        (
            "runtime_error.py",
            "runtime_error",
            "IndexError: tuple index out of range (line 18: `copy_kernel",
            [],
        ),
        ("timeout.py", "timeout", "did not answer within 10 s and was killed", ["--build-timeout", "10"]),
        ("forbidden.py", "forbidden", "import of 'os' is not allowed", []),
        ("no_custom_kernel.py", "no_custom_kernel", "none of the candidate's own kernels (gelu_kernel)", []),
    ],
)
def test_failing_candidates(kbeval: Kbeval, file: str, status: str, message: str, options: list[str]) -> None:
    result = kbeval("run", "L1_088", FAILING / file, *CPU, *options)
    assert result.code == 1, result.err
    verdict = result.json
    assert verdict["status"] == status
    assert message in verdict["message"]
    assert verdict["success"] is False
    assert verdict["score"] == 0
    record = stored(kbeval, verdict["id"])
    assert {key: record[key] for key in verdict if key in record} == {
        k: v for k, v in verdict.items() if k in record
    }
    assert kbeval("log", "--status", status, "--json").json[0]["id"] == verdict["id"]


def test_a_cpp_candidate_is_judged_to_the_end(kbeval: Kbeval) -> None:
    result = kbeval("run", "L1_088", EXAMPLES / "L1_088_gelu_cpp.py", *CPU, "--label", "first")
    verdict = result.json
    assert verdict["status"] == "correct", verdict["message"]
    assert result.code == (0 if verdict["success"] else 1)
    assert verdict["trials"] >= 10
    assert verdict["speedup_lo95"] <= verdict["speedup"]
    assert (
        0 < verdict["own_kernel_time_frac"] <= 1
    )  # at this size much of a forward is PyTorch around the kernel
    assert verdict["compile_note"] == "not measured on the CPU device"
    record = kbeval("show", verdict["id"], "--json", "--samples", "--source").json
    assert len(record["samples"]) == verdict["trials"]
    assert record["label"] == "first"


def test_no_code_in_a_reply(kbeval: Kbeval) -> None:
    result = kbeval("run", "L1_088", FAILING / "no_code.md", "--reply", *CPU)
    assert (result.code, result.json["status"]) == (1, "no_code")


def test_a_reply_from_standard_input(kbeval: Kbeval) -> None:
    code = (EXAMPLES / "L1_088_gelu_triton.py").read_text()
    reply = f"An idea:\n```python\nx = 1\n```\nBetter:\n```python\n{code}```\nACTION: CHECK\n"
    result = kbeval("check", "L1_088", "-", "--reply", *CPU, stdin=reply.encode())
    assert (result.code, result.json["status"], result.json["kind"]) == (0, "correct", "check")


def test_infrastructure_errors_are_recorded_and_exit_with_3(kbeval: Kbeval, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text(
        '#!/bin/sh\ncase "$*" in *static_check*) exec python3 "$@";; esac\necho no torch here >&2\nexit 9\n'
    )
    broken.chmod(0o755)
    result = kbeval(
        "run", "L1_088", EXAMPLES / "L1_088_gelu_triton.py", *CPU, env={"KBEVAL_PYTHON": str(broken)}
    )
    assert result.code == 3
    assert result.json["status"] == "infra_error"
    assert "no torch here" in result.json["message"]


def test_same_seed_same_correctness_figures(kbeval: Kbeval) -> None:
    runs = [
        kbeval("check", "L1_088", EXAMPLES / "L1_088_gelu_triton.py", *CPU, "--seed", "7").json
        for _ in range(2)
    ]
    other = kbeval("check", "L1_088", EXAMPLES / "L1_088_gelu_triton.py", *CPU, "--seed", "8").json
    assert runs[0]["agreement"] == runs[1]["agreement"]
    assert runs[0]["agreement"] != other["agreement"]
