"""`kbeval compare` against NumPy and SciPy, on outcomes that are drawn at random."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Kbeval
from scipy import stats

ARMS = ("a", "b")
READERS = ("x", "y")
PROBLEMS = 37
THRESHOLDS = {"0": 0.0, "1": 1.0, "1.5": 1.5, "2": 2.0, "4": 4.0}

Row = dict[str, Any]


def drawn() -> list[Row]:
    random = np.random.default_rng(3)
    rows = []
    for problem in range(PROBLEMS):
        ease = random.normal(0, 0.6)
        for reader in READERS:
            for arm in ARMS:
                speedup = float(np.exp(ease + random.normal(0.3 if arm == "a" else 0.1, 0.5)))
                status = random.choice(["correct", "incorrect", "unsubmitted"], p=[0.7, 0.2, 0.1])
                correct = status == "correct"
                flags = ["clock_disagreement"] if correct and random.random() < 0.1 else []
                low = 0.97 * speedup
                rows.append(
                    {
                        "problem": f"L{1 + problem % 3}_{problem:03d}",
                        "level": 1 + problem % 3,
                        "reader": reader,
                        "arm": arm,
                        "status": str(status),
                        "correct": correct,
                        "flags": flags,
                        "speedup": speedup if correct else None,
                        "speedup_lo95": low if correct else None,
                        "success": correct and low > 1 and not flags,
                        "score": min(speedup, 10.0) if correct else 0.0,
                        "turns": int(random.integers(1, 4)),
                    }
                )
    return rows


def store(rows: list[Row], path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute(
            "INSERT INTO experiment VALUES (1, 'drawn', '{}', 'd', 'open', '2026-01-01T00:00:00.000Z')"
        )
        for i, r in enumerate(rows):
            state = "unsubmitted" if r["status"] == "unsubmitted" else "submitted"
            db.execute(
                "INSERT INTO episode VALUES (?,?,1,?,?,?,'f','held_out',?,?,0,'exec:x',6,'1',?,'','t','t',NULL,'')",
                (i + 1, f"{i:032x}", i, r["problem"], r["level"], r["arm"], r["reader"], state),
            )
            keys = ("status", "speedup", "speedup_lo95", "success", "score", "flags")
            verdict = {k: r[k] for k in keys} | {"evaluator": "e", "gpu": "g", "size": "full"}
            for number in range(1, r["turns"] + 1):
                last = number == r["turns"]
                db.execute(
                    "INSERT INTO turn VALUES (?,?,'','','SUBMIT','',?,'','',?,'t',1,1,10,?)",
                    (
                        i + 1,
                        number,
                        r["status"] if last else "no_action",
                        json.dumps(verdict) if last else None,
                        5,
                    ),
                )


@pytest.fixture
def rows(kbeval: Kbeval, database: Path) -> list[Row]:
    empty = database.parent / "empty.jsonl"
    database.parent.mkdir()
    empty.write_text("")
    assert kbeval("transcript", "import", empty).code == 0  # makes the database
    outcomes = drawn()
    store(outcomes, database)
    return outcomes


def by_problem(rows: list[Row], value: Any) -> np.ndarray:
    groups = defaultdict(list)
    for row in rows:
        groups[row["problem"]].append(value(row))
    return np.array([np.mean(groups[problem]) for problem in sorted(groups)])


def test_figures_of_an_arm(kbeval: Kbeval, rows: list[Row]) -> None:
    everything = kbeval("compare", "drawn", "--json").json[0]
    for arm in everything["arms"]:
        mine = [row for row in rows if row["arm"] == arm["arm"]]
        for name, p in THRESHOLDS.items():
            raw = by_problem(mine, lambda r, p=p: r["correct"] and r["speedup"] > p).mean()
            sure = by_problem(
                mine, lambda r, p=p: r["correct"] and not r["flags"] and r["speedup_lo95"] > p
            ).mean()
            assert arm["fast_p_raw"][name] == pytest.approx(raw, abs=1e-12)
            assert arm["fast_p"][name] == pytest.approx(sure, abs=1e-12)
        assert arm["success_rate"] == pytest.approx(
            by_problem(mine, lambda r: r["success"]).mean(), abs=1e-12
        )
        assert arm["mean_score"] == pytest.approx(by_problem(mine, lambda r: r["score"]).mean(), rel=1e-12)
        scores = [row["score"] for row in mine if row["score"] > 0]
        assert arm["geometric_mean_score"] == pytest.approx(float(stats.gmean(scores)), rel=1e-12)
        assert arm["input_tokens"] == 10 * sum(row["turns"] for row in mine)


def paired(rows: list[Row]) -> np.ndarray:
    a, b = (by_problem([r for r in rows if r["arm"] == arm], lambda r: r["score"]) for arm in ARMS)
    return a - b


def test_paired_difference(kbeval: Kbeval, rows: list[Row]) -> None:
    d = kbeval("compare", "drawn", "--arms", "a,b", "--json").json[0]["difference"]
    differences = paired(rows)
    n = len(differences)
    assert d["problems"] == n == PROBLEMS
    assert d["mean_score"] == pytest.approx(differences.mean(), rel=1e-12)
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    assert (d["wins"], d["losses"], d["ties"]) == (wins, losses, n - wins - losses)
    assert d["sign_test_p"] == pytest.approx(stats.binomtest(wins, wins + losses, 0.5).pvalue, rel=1e-9)
    level = float(stats.norm.cdf(np.sqrt(n / (n - 1)) * stats.t.ppf(0.025, n - 1)))
    result = stats.bootstrap(
        (differences,),
        np.mean,
        confidence_level=1 - 2 * level,
        method="percentile",
        n_resamples=50000,
        random_state=np.random.default_rng(1),
    )
    error = 0.06 * differences.std() / np.sqrt(n)  # Monte Carlo error of 10000 resamples, four times over
    assert d["low"] == pytest.approx(result.confidence_interval.low, abs=error)
    assert d["high"] == pytest.approx(result.confidence_interval.high, abs=error)


def test_groups_and_their_figures(kbeval: Kbeval, rows: list[Row]) -> None:
    groups = kbeval("compare", "drawn", "--arms", "a,b", "--by", "level", "--json").json
    assert [group["group"] for group in groups] == ["", "level 1", "level 2", "level 3"]
    for level, group in enumerate(groups[1:], start=1):
        mine = paired([row for row in rows if row["level"] == level])
        assert group["difference"]["mean_score"] == pytest.approx(mine.mean(), rel=1e-12)


def test_different_origins_are_not_mixed(kbeval: Kbeval, rows: list[Row], database: Path) -> None:
    assert rows
    with sqlite3.connect(database) as db:
        db.execute("UPDATE turn SET verdict = json_set(verdict, '$.gpu', 'other') WHERE episode = 1")
    refused = kbeval("compare", "drawn")
    assert refused.code == 2
    assert "other" in refused.err
    assert kbeval("compare", "drawn", "--mixed").code == 0
