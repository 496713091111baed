"""`kbeval problems verify`: what is as recorded, what differs, and what is no facts file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import ROOT, Kbeval

FACTS = json.loads((ROOT / "problems" / "facts.json").read_text(encoding="utf-8"))


def test_all_problems_do_what_was_recorded(kbeval: Kbeval) -> None:
    result = kbeval("problems", "verify")
    assert result.code == 0, result.out + result.err
    assert result.out.startswith("250 of 250 problems as recorded")


def test_differences_are_named(kbeval: Kbeval, tmp_path: Path) -> None:
    changed = {**FACTS["L1_019"], "outputs": "tensor[1]:float64", "no_such_fact": 1}
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps({"L1_019": changed, "L1_020": FACTS["L1_020"]}))
    result = kbeval("problems", "verify", "l1_19", "L1_20", "L1_021", "--facts", facts)
    assert result.code == 1
    assert "L1_019: outputs: expected 'tensor[1]:float64'" in result.out
    assert "L1_019: no_such_fact: recorded, but nothing of that name is found" in result.out
    assert "L1_021: not among the recorded facts" in result.out
    assert "L1_020:" not in result.out
    report = kbeval("problems", "verify", "L1_020", "--facts", facts, "--json").json
    assert report["problems"] == [{"id": "L1_020", "differences": []}]


@pytest.mark.parametrize(
    "text",
    ["", "[1]", '{"L1_019": 3}', "{", '{"L1_019": {"forward_calls": 7}}', '{"L1_019": {"modules": [1]}}'],
)
def test_malformed_facts_end_in_a_message(kbeval: Kbeval, tmp_path: Path, text: str) -> None:
    facts = tmp_path / "facts.json"
    facts.write_text(text)
    result = kbeval("problems", "verify", "L1_019", "--facts", facts)
    assert result.code in (1, 2)
    assert "facts.json: must be a JSON object" in result.err or "facts are malformed" in result.out


def test_unknown_ids_and_files(kbeval: Kbeval, tmp_path: Path) -> None:
    assert kbeval("problems", "verify", "L9_999").code == 2
    assert kbeval("problems", "verify", "L1_001", "--facts", tmp_path / "absent").code == 2
