"""The problem files, their catalogue, and what both promise the harness.

Every problem is run at smoke size on the CPU, and traced at full size against recorded facts: the
project's own (problems/facts.json) and, where KBEVAL_SHARED or ../shared has them, those of the originals.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[2]
PROBLEMS = ROOT / "problems"
from kbeval_problems.catalog import with_rules  # noqa: E402
from kbeval_problems.catalog_schema import violations  # noqa: E402
from kbeval_problems.facts import differences, read_facts  # noqa: E402
from kbeval_problems.trace import load_problem, problem_files, trace_problem  # noqa: E402

SHARED_FACTS = Path(os.environ.get("KBEVAL_SHARED", ROOT.parent / "shared")) / "problem-facts.json"
CATALOG = json.loads((PROBLEMS / "catalog.json").read_text(encoding="utf-8"))
ENTRIES: dict[str, dict[str, Any]] = {entry["id"]: entry for entry in CATALOG["problems"]}
FILES = problem_files(PROBLEMS)
MAX_SMOKE_INPUT_BYTES = 8 * 2**20


def module_at_smoke_size(problem_id: str) -> Any:
    """The problem's module with the catalogue's overrides applied, as the harness applies them."""
    module = load_problem(FILES[problem_id])
    for name, value in ENTRIES[problem_id]["smoke"].items():
        setattr(module, name, value)
    return module


def run_at_smoke_size(problem_id: str) -> tuple[list[Any], Any]:
    module = module_at_smoke_size(problem_id)
    torch.manual_seed(42)
    model = module.Model(*module.get_init_inputs())
    torch.manual_seed(43)
    inputs = module.get_inputs()
    with torch.no_grad():
        return inputs, model(*inputs)


def test_catalogue_and_files_name_the_same_problems() -> None:
    assert CATALOG["version"] == 1
    assert len(ENTRIES) == len(CATALOG["problems"]), "ids are unique"
    assert list(ENTRIES) == sorted(ENTRIES), "entries are in order of id"
    assert {name: PROBLEMS / entry["file"] for name, entry in ENTRIES.items()} == FILES


def test_catalogue_follows_its_schema() -> None:
    assert violations(CATALOG) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("family", "pasta"),
        ("atol", -1),
        ("tags", ["b", "a"]),
        ("costs", {"flops": 1}),
        ("file", "../x.py"),
        ("id", "L1_002"),
    ],
)
def test_the_schema_refuses(key: str, value: object) -> None:
    broken = {"version": 1, "problems": [{**CATALOG["problems"][0], key: value}]}
    assert any(key in line for line in violations(broken))


@pytest.mark.parametrize("problem_id", ENTRIES)
def test_family_and_costs_are_what_the_rules_yield(problem_id: str) -> None:
    entry = ENTRIES[problem_id]
    assert with_rules(PROBLEMS, entry) == entry


@pytest.mark.parametrize("problem_id", ENTRIES)
def test_catalogue_entry_fits_its_file(problem_id: str) -> None:
    entry = ENTRIES[problem_id]
    for tolerance in ("atol", "rtol"):
        assert 0 < entry[tolerance] < 1
    module = load_problem(FILES[problem_id])
    for name in entry["smoke"]:
        assert name.isupper() and hasattr(module, name), f"{problem_id} has no size constant {name}"


@pytest.mark.parametrize("problem_id", ENTRIES)
def test_runs_at_smoke_size_on_the_cpu(problem_id: str) -> None:
    inputs, output = run_at_smoke_size(problem_id)
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    assert sum(value.nbytes for value in tensors) <= MAX_SMOKE_INPUT_BYTES
    assert isinstance(output, torch.Tensor) and output.numel() > 0
    assert math.isfinite(output.double().sum().item())


@pytest.mark.parametrize("problem_id", ENTRIES)
def test_the_seed_decides_inputs_and_output(problem_id: str) -> None:
    _, first = run_at_smoke_size(problem_id)
    _, second = run_at_smoke_size(problem_id)
    assert torch.equal(first, second)


@pytest.mark.parametrize("problem_id", ENTRIES)
def test_does_what_was_recorded(problem_id: str) -> None:
    recorded = [("facts.json", PROBLEMS / "facts.json"), ("the original", SHARED_FACTS)]
    found = trace_problem(FILES[problem_id])
    for source, path in recorded:
        if path.is_file():
            facts = _facts(path)
            assert problem_id in facts, f"{source} has no {problem_id}"
            assert not differences(facts[problem_id], found), f"{problem_id} differs from {source}"


def test_original_facts_are_at_hand() -> None:
    """Skipped, by this name, where the problems could only be checked against the project's own facts."""
    if not SHARED_FACTS.is_file():
        pytest.skip(f"no facts of the original problems at {SHARED_FACTS}")
    assert set(ENTRIES) <= set(_facts(SHARED_FACTS))


_FACTS: dict[Path, dict[str, Any]] = {}


def _facts(path: Path) -> dict[str, Any]:
    if path not in _FACTS:
        _FACTS[path] = read_facts(path)
    return _FACTS[path]
