"""The command itself: how it is started, what it prints, how fast it is, and that no bytes crash it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from static_check_support import CUDA, MODEL, PREAMBLE, check

HARNESS = Path(__file__).resolve().parents[3] / "harness"
BY_PATH = [sys.executable, "-I", str(HARNESS / "kbeval_harness" / "static_check" / "__main__.py")]
GOOD = (PREAMBLE + MODEL).encode()

TOKENS = [
    *b"( ) { } < * : , \\ ' # \0 \xff".split(b" "),
    b"\n",
    b'"""',
    *(
        b"self.",
        b"__",
        b"f'",
        b"lambda ",
        b"torch",
        b"getattr",
        b"__global__ ",
        b"#include ",
        b"match x:\n case ",
    ),
]

KEYS = {
    "ok", "violations", "warnings", "truncated", "kernels", "uses_load_inline", "uses_triton", "source_bytes",
}  # fmt: skip


def run(
    arguments: list[str], data: bytes, command: list[str] = BY_PATH
) -> subprocess.CompletedProcess[bytes]:
    """Runs the command as the orchestrator does: no shell, and nothing of this environment."""
    return subprocess.run(
        [*command, *arguments], input=data, capture_output=True, env={}, timeout=60, check=False
    )


def verdict(arguments: list[str], data: bytes) -> dict[str, Any]:
    """The verdict of a run that must succeed, and print one line."""
    done = run(arguments, data)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(b"}\n") and done.stdout.count(b"\n") == 1
    parsed: dict[str, Any] = json.loads(done.stdout)
    assert set(parsed) == KEYS
    return parsed


def test_verdict_of_a_good_candidate() -> None:
    report = verdict([], GOOD)
    assert report["ok"] is True
    assert report["source_bytes"] == len(GOOD)
    assert report["kernels"][0]["name"] == "double_kernel"


def test_verdict_of_a_bad_candidate_exits_zero() -> None:
    report = verdict(["--device", "cuda"], b"import os\n" + GOOD)
    assert report["ok"] is False
    assert report["violations"] == [
        {
            "code": "KB301",
            "rule": "import-not-allowed",
            "message": "import of 'os' is not allowed",
            "line": 1,
            "column": 8,
        }
    ]


@pytest.mark.parametrize("arguments", [["--device", "cpu"], ["--device=cpu"], ["--device=cuda"]])
def test_devices(arguments: list[str]) -> None:
    assert verdict(arguments, GOOD)["ok"] is True


@pytest.mark.parametrize(
    "arguments",
    [["--device"], ["--device", "tpu"], ["--device="], ["x.py"], ["--help"], ["--device", "cpu", "x"]],
)
def test_bad_usage_exits_two(arguments: list[str]) -> None:
    done = run(arguments, GOOD)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"usage:")


def test_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "kbeval_harness.static_check"]
    done = subprocess.run(command, input=GOOD, capture_output=True, cwd=HARNESS, timeout=60, check=False)
    assert json.loads(done.stdout)["ok"] is True


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\0", b"\xff", b"x" * ((1 << 20) + 5), b"(" * 100_000, GOOD[:-40]]
)
def test_odd_inputs_get_a_verdict(data: bytes) -> None:
    report = verdict([], data)
    assert report["ok"] is False
    assert report["source_bytes"] == len(data)


@pytest.mark.parametrize(
    "data", [b"x = " + b"-" * 100_000 + b"1\n", b"x = " + b"(" * 198 + b"1" + b")" * 198]
)
def test_a_small_stack_is_no_crash(data: bytes) -> None:
    """The parser recurses in C: on a stack of a few hundred kilobytes it would be killed by a signal."""
    command = ["/bin/sh", "-c", 'ulimit -s 256 && exec "$@"', "sh", *BY_PATH]
    done = run([], data, command)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["ok"] is False


def test_invalid_escapes_print_no_warning() -> None:
    assert verdict([], GOOD + b"pattern = '\\d'\n")["ok"] is True


def test_lists_are_bounded_and_sorted() -> None:
    report = verdict([], b"eval\n" * 70 + GOOD)
    assert report["truncated"] is True
    assert [v["line"] for v in report["violations"]] == list(range(1, 51))
    assert verdict([], b"eval\n" * 50 + GOOD)["truncated"] is False


def test_messages_are_short_and_ascii() -> None:
    source = GOOD + b"import " + b"a" * 5000 + b"\nx." + b"__b" * 3000 + b"\n"
    for violation in verdict([], source)["violations"]:
        assert len(violation["message"]) < 200
        assert violation["message"].isascii() and violation["message"].isprintable()


def test_torch_is_not_imported() -> None:
    probe = (
        "import sys; import kbeval_harness.static_check.checker; "
        "print([m for m in ('torch', 'triton') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, cwd=HARNESS, timeout=60, check=True
    )
    assert done.stdout.strip() == b"[]"


def test_starts_quickly() -> None:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        run([], GOOD)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.5  # about 0.06 s on an idle machine


def mutate(data: bytearray, rng: random.Random) -> None:
    """One random edit: a byte changed, a piece removed, doubled or moved, or a token put in."""
    at, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    end = min(end, at + 60)
    kind = rng.randrange(5)
    if kind == 0 and at < len(data):
        data[at] = rng.randrange(256)
    elif kind == 1:
        del data[at:end]
    elif kind == 2:
        data[at:at] = data[at:end] * rng.randrange(1, 4)
    elif kind == 3:
        piece = data[at:end]
        del data[at:end]
        to = rng.randrange(len(data) + 1)
        data[to:to] = piece
    else:
        data[at:at] = rng.choice(TOKENS)


def test_mutated_sources_never_crash() -> None:
    rng = random.Random(20240607)
    native = CUDA % "" + "\next_module = load_inline(name='e', cpp_sources='', cuda_sources=SOURCE)\n"
    seeds = [GOOD, (PREAMBLE + native + MODEL).encode()]
    for _ in range(1500):
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.randrange(1, 8)):
            mutate(data, rng)
        report = check(bytes(data), rng.choice(["cuda", "cpu"]))
        assert report["ok"] == (not report["violations"])
        json.dumps(report)


def test_random_bytes_never_crash() -> None:
    rng = random.Random(7)
    for _ in range(300):
        report = check(rng.randbytes(rng.randrange(400)))
        assert not report["ok"]


@pytest.mark.parametrize(
    "text",
    [
        "a=1\na\n" * 30_000,
        "a=torch\n" + "".join(f"b{i}=a\n" for i in range(20_000)),
        "import torch as a\n" * 10_000 + "a.os\n" * 10_000,
        "def f():a\n" * 20_000 + "a=torch\n",
        'S="""' + "__global__ void k(" * 40_000 + '"""',
        'S="""#include <cmath>\n' + "__attribute__((" * 60_000 + '"""',
        "S='''#include <cmath>\n" + 'R"aaaaaaa' * 90_000 + "'''",
        'S="""#include <cmath>' + " " * 900_000 + '"""',
        'S="""' + "#x\n" * 250_000 + '"""',
        "# dear" + " " * 900_000 + "\n",
    ],
    ids=lambda text: text[:16].replace("\n", " "),
)
def test_hostile_sources_take_bounded_time(text: str) -> None:
    start = time.perf_counter()
    check(PREAMBLE + text + MODEL)
    assert time.perf_counter() - start < 20  # 1 to 4 s on an idle machine; quadratic work would take minutes
