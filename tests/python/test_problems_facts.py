"""The tracer and verifier of problem files: what they record, what they notice, what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from kbeval_problems import facts as problem_facts
from kbeval_problems.trace import (
    ProblemFileError,
    expand_calls,
    group_calls,
    load_problem,
    problem_files,
    trace_problem,
)

SOURCE = '''
import torch
from torch import nn

ROWS = 1 << 20
STEPS = 3


class Model(nn.Module):
    """Scales and shifts a matrix, step by step."""

    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.shift = nn.Parameter(torch.randn(features))
        self.register_buffer("scale", torch.ones(1))

    def forward(self, x):
        x = self.linear(x)
        for step in range(STEPS):
            x = x + x[step] * self.scale
        return torch.relu(x + self.shift)


def get_inputs():
    return [torch.rand(ROWS, 4096)]


def get_init_inputs():
    return [4096]
'''


def write_problem(root: Path, source: str = SOURCE, name: str = "L1_001_Scale_shift") -> Path:
    path = root / "level1" / f"{name}.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(source, encoding="utf-8")
    return path


def trace_changed(root: Path, old: str, new: str) -> dict[str, Any]:
    assert SOURCE.count(old) == 1
    return trace_problem(write_problem(root, SOURCE.replace(old, new)))


def test_a_trace_shows_the_whole_problem_without_its_16_gib(tmp_path: Path) -> None:
    facts = trace_problem(write_problem(tmp_path))
    rows = "tensor[1048576, 4096]:float32"
    assert (facts["level"], facts["number"], facts["name"]) == (1, 1, "Scale_shift")
    assert facts["init_signature"] == "(self, features)"
    assert facts["init_inputs"] == "[4096]"
    assert facts["input_calls"] == [f"torch.rand(1048576, 4096) -> {rows}"]
    assert facts["init_calls"] == [
        "torch.randn(4096) -> tensor[4096]:float32",
        "torch.ones(1) -> tensor[1]:float32",
    ]
    assert facts["params"] == {"shift": [4096], "linear.weight": [4096, 4096], "linear.bias": [4096]}
    assert facts["buffers"] == {"scale": [[1], "torch.float32"]}
    assert facts["forward_calls"][0] == (
        f"torch.nn.functional.linear({rows}, param[4096, 4096], param[4096]) -> {rows}"
    )
    assert facts["forward_calls"][-1] == f"torch.relu({rows}) -> {rows}"
    assert facts["forward_call_count"] == len(facts["forward_calls"]) == 12
    assert facts["outputs"] == rows


@pytest.mark.parametrize(
    ("old", "new", "noticed"),
    [
        ("torch.relu(x + self.shift)", "torch.relu(x) + self.shift", "forward_calls[10]"),
        ("x[step] * self.scale", "x[step] / self.scale", "forward_calls[2]"),
        ("torch.rand(ROWS", "torch.randn(ROWS", "input_calls[0]"),
        ("torch.randn(features)", "torch.zeros(features)", "init_calls[0]"),
        (
            "self.linear = nn.Linear(features, features)",
            "self.linear = nn.Linear(features, 4096, False)",
            "modules",
        ),
        ("STEPS = 3", "STEPS = 2", "forward_call_count"),
        ("features):", "width):\n        features = width", "init_signature"),
    ],
)
def test_a_change_is_noticed(tmp_path: Path, old: str, new: str, noticed: str) -> None:
    facts = trace_problem(write_problem(tmp_path))
    lines = problem_facts.differences(facts, trace_changed(tmp_path, old, new))
    assert any(line.startswith(noticed) for line in lines), lines


def test_renamed_parameters_and_buffers_are_noticed(tmp_path: Path) -> None:
    facts = trace_problem(write_problem(tmp_path))
    source = SOURCE.replace("self.shift", "self.bias").replace('"scale"', '"gain"').replace(".scale", ".gain")
    lines = problem_facts.differences(facts, trace_problem(write_problem(tmp_path, source)))
    assert lines == [
        "params.shift: missing",
        "params.bias: not expected",
        "buffers.scale: missing",
        "buffers.gain: not expected",
    ]


def test_groups_of_repeats_expand_to_the_same_calls() -> None:
    loop = [f"torch.Tensor.__getitem__(tensor[9, 4]:float32, {i}) -> tensor[4]:float32" for i in range(9)]
    grouped = group_calls(["a() -> x", *loop, "b() -> x", "c() -> x", "b() -> x", "c() -> x"])
    assert [entry if isinstance(entry, str) else entry["repeat"] for entry in grouped] == ["a() -> x", 9, 2]
    expanded = expand_calls(grouped)
    assert expanded[1] == loop[0]
    assert expanded[2:10] == ["torch.Tensor.__getitem__(tensor[9, 4]:float32, *) -> tensor[4]:float32"] * 8
    assert expanded[10:] == ["b() -> x", "c() -> x"] * 2


def test_record_and_verify_agree_and_disagree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_problem(tmp_path)
    recorded = tmp_path / "facts.json"
    options = ["--problems", str(tmp_path)]
    assert problem_facts.main([*options, "record", "--out", str(recorded)]) == 0
    assert problem_facts.main([*options, "verify", "--facts", str(recorded)]) == 0
    write_problem(tmp_path, SOURCE.replace("torch.relu", "torch.tanh"))
    assert problem_facts.main([*options, "verify", "L1_001", "--facts", str(recorded)]) == 1
    assert "L1_001: forward_calls[11]: expected torch.relu" in capsys.readouterr().out


def test_long_values_are_recorded_by_digest_and_still_compared(tmp_path: Path) -> None:
    steps = problem_facts.MAX_STORED_CHARS
    source = SOURCE.replace("STEPS = 3", "STEPS = 40").replace("x + x[step]", "x * (step + 1.5) + x[step]")
    facts = trace_problem(write_problem(tmp_path, source))
    assert len(str(facts["forward_calls"])) > steps
    recorded = tmp_path / "facts.json"
    problem_facts.write_facts(recorded, {"L1_001": facts})
    stored = problem_facts.read_facts(recorded)["L1_001"]
    assert stored["forward_calls"].keys() == {"digest", "length"}
    assert not problem_facts.differences(stored, facts)
    changed = trace_problem(write_problem(tmp_path, source.replace("1.5", "2.5")))
    assert problem_facts.differences(stored, changed) == [
        "forward_calls: 163 recorded and 163 found, not all the same"
    ]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def get_inputs(:", "cannot be executed"),
        ("raise SystemError('no')", "cannot be executed"),
        (SOURCE.replace("def get_init_inputs", "def init_inputs"), "must define get_init_inputs"),
    ],
)
def test_a_file_that_breaks_the_format_is_named(tmp_path: Path, source: str, reason: str) -> None:
    path = write_problem(tmp_path, source)
    with pytest.raises(ProblemFileError, match=f"L1_001_Scale_shift.py: .*{reason}"):
        load_problem(path)


def test_bad_names_duplicates_and_unknown_ids_are_refused(tmp_path: Path) -> None:
    write_problem(tmp_path)
    facts = tmp_path / "facts.json"
    facts.write_text("{}", encoding="utf-8")
    options = ["--problems", str(tmp_path), "verify"]
    assert problem_facts.main([*options, "--facts", str(facts)]) == 1
    assert problem_facts.main([*options, "L9_999", "--facts", str(facts)]) == 2
    facts.write_text("[1]", encoding="utf-8")
    assert problem_facts.main([*options, "--facts", str(facts)]) == 2
    assert problem_facts.main([*options, "--facts", str(tmp_path / "absent.json")]) == 2

    duplicate = write_problem(tmp_path, name="L1_001_Second")
    with pytest.raises(ProblemFileError, match="L1_001 is also"):
        problem_files(tmp_path)
    duplicate.rename(duplicate.with_name("L1_1_short.py"))
    with pytest.raises(ProblemFileError, match="is named L<level>"):
        problem_files(tmp_path)
