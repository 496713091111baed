"""Living memory, counts and our own playbooks: what evaluations in the database change in them."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest
from conftest import ROOT, Kbeval
from test_contexts import LIVING, PLAYBOOK, imported

EXAMPLE = ROOT / "examples" / "L1_088_gelu_cpp.py"


@pytest.fixture
def evaluation(kbeval: Kbeval) -> str:
    """Id of a correct check on the CPU; no success, since a check is not timed."""
    result = kbeval("check", "L1_088", EXAMPLE, "--device", "cpu", "--size", "smoke", "--json")
    assert result.code == 0, result.err
    return str(result.json["id"])


def make_success(database: Path, evaluation: str) -> None:
    """What only a GPU yields, written by hand."""
    with sqlite3.connect(database) as connection:
        connection.execute(
            "UPDATE evaluation SET success = 1, speedup = 2.5, score = 0.9 WHERE id = ?", [evaluation]
        )


def test_only_a_success_is_admitted(kbeval: Kbeval, evaluation: str) -> None:
    refused = kbeval("playbook", "admit", evaluation, "--recipe", "Fuse all.")
    assert refused.code == 2
    assert "no success" in refused.err


def test_an_admitted_success_is_given_to_relatives_until_its_evaluation_goes(
    kbeval: Kbeval, tmp_path: Path, database: Path, evaluation: str
) -> None:
    imported(kbeval, tmp_path, "living.md", LIVING)
    make_success(database, evaluation)
    assert kbeval("playbook", "admit", evaluation, "--recipe", "two\nlines").code == 2
    admitted = kbeval("playbook", "admit", evaluation[:8], "--recipe", "Fuse the whole chain.", "--json")
    assert admitted.code == 0, admitted.err
    assert admitted.json["evaluation"] == evaluation
    assert admitted.json["speedup"] == "2.50"

    relative = next(
        p["id"]
        for p in kbeval("problems", "list", "--json").json
        if p["family"] == admitted.json["family"] and p["id"] != "L1_088"
    )
    built = kbeval("playbook", "build", relative, "--json").json
    assert "Fuse the whole chain." in built["text"]
    assert EXAMPLE.read_text().strip() in built["text"]
    assert "Fuse the whole chain." not in kbeval("playbook", "build", "L1_088").out, "its own solution"

    assert kbeval("db", "delete", evaluation[:8]).out == f"deleted {evaluation}\n"
    assert "Fuse the whole chain." not in kbeval("playbook", "build", relative).out
    assert kbeval("show", evaluation).code == 2


def test_counts_by_family_and_reader_and_what_a_deleted_evaluation_takes_back(
    kbeval: Kbeval, tmp_path: Path, database: Path, evaluation: str
) -> None:
    imported(kbeval, tmp_path, "tips.md", PLAYBOOK)
    make_success(database, evaluation)
    (tmp_path / "reply").write_text("Helpful: [str-00001]. Misleading: str-00002.")
    cited = kbeval(
        "playbook",
        "cite",
        "tips",
        tmp_path / "reply",
        "--evaluation",
        evaluation,
        "--reader",
        "model-a",
        "--json",
    )
    assert cited.json["counted"] == 2, cited.err
    (tmp_path / "other").write_text("I found [str-00001] helpful.")
    assert kbeval("playbook", "cite", "tips", tmp_path / "other", "--reader", "model-b").code == 0

    def counts(*options: str) -> dict[tuple[str, str], tuple[int, int]]:
        bullets = kbeval("playbook", "counts", "tips", *options, "--json").json["bullets"]
        return {(b["id"], b["group"]): (b["event_helpful"], b["event_harmful"]) for b in bullets}

    assert counts() == {("str-00001", ""): (2, 0), ("str-00002", ""): (0, 1)}
    by_reader = counts("--by", "reader")
    assert by_reader["str-00001", "model-a"] == (1, 0)
    assert by_reader["str-00001", "model-b"] == (1, 0)
    assert by_reader["str-00002", "model-a"] == (0, 1)
    family = kbeval("problems", "show", "L1_088", "--json").json["family"]
    assert counts("--by", "family")["str-00001", family] == (1, 0)
    assert counts("--since", "2999") == {("str-00001", ""): (0, 0), ("str-00002", ""): (0, 0)}
    assert counts("--since", "2001-01-31") == counts()
    tried = next(
        b for b in kbeval("playbook", "counts", "tips", "--json").json["bullets"] if b["id"] == "str-00002"
    )
    assert (tried["evaluations"], tried["success_rate"], tried["mean_score"]) == (1, 1.0, 0.9)

    assert kbeval("db", "delete", evaluation).code == 0
    assert counts() == {("str-00001", ""): (1, 0), ("str-00002", ""): (0, 0)}


@pytest.mark.parametrize("since", ["yesterday", "2026-1-31", "31.01.2026", "26", "2026-01-31 08:00"])
def test_a_time_that_is_none_is_refused(kbeval: Kbeval, tmp_path: Path, since: str) -> None:
    imported(kbeval, tmp_path, "tips.md", PLAYBOOK)
    refused = kbeval("playbook", "counts", "tips", "--since", since)
    assert refused.code == 2
    assert "--since" in refused.err


def test_deleting_what_is_not_there_says_so(kbeval: Kbeval, evaluation: str) -> None:
    refused = kbeval("db", "delete", "0123456789")
    assert refused.code == 2
    assert evaluation[:8] in refused.err
    assert kbeval("show", evaluation).code == 0


def test_our_own_playbooks_claim_what_results_show() -> None:
    """Every factor in them is a speedup of the tables, at the digits that are given."""
    results = (ROOT / "results" / "h200-candidates" / "README.md").read_text()
    rows = [[cell.strip() for cell in row.split("|")] for row in results.split("## Before")[0].splitlines()]
    measured = [row[6] for row in rows if len(row) > 12 and row[2] == "correct"]
    known = {f"{float(m):.{digits}f}" for m in measured for digits in (2, 3)}
    text = (ROOT / "playbooks" / "h200.md").read_text()
    cards = json.loads((ROOT / "playbooks" / "cards.json").read_text())["cards"]
    claims = re.findall(r"(\d+\.\d+)x", text + "".join(card["text"] for card in cards))
    assert len(claims) > 15
    assert [claim for claim in claims if claim not in known] == []
