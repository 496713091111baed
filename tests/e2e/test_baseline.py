"""`kbeval baseline` on the CPU: what it measures, stores and writes, and that it goes on where it was killed."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

from conftest import BINARY, Kbeval

QUICK = ("--device", "cpu", "--no-compile", "--rounds-seconds", "0.05")


def stored(database: Path) -> dict[str, int]:
    """How many baselines there are of each problem."""
    with sqlite3.connect(database) as connection:
        return dict(connection.execute("SELECT problem, count(*) FROM baselines GROUP BY problem").fetchall())


def test_measures_stores_and_writes(kbeval: Kbeval, database: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = kbeval("baseline", "l1_19", "L2_076", *QUICK, "--out", out, "--json")
    assert result.code == 0, result.err
    report = json.loads((out / "baselines.json").read_text())
    assert report == result.json
    rows = {row["problem"]: row for row in report["problems"]}
    assert set(rows) == {"L1_019", "L2_076"}
    for row in rows.values():
        eager = row["eager_ms"]
        assert 0 < eager["lo95"] <= eager["median"] <= eager["hi95"]
        assert row["compile_ms"] is None
        assert row["compile_note"] == "left out"
        assert row["roofline_ms"] is None, "costs are those of the full size"
    assert "| L2_076 | Gemm_Add_ReLU | matmul |" in (out / "baselines.md").read_text()
    with sqlite3.connect(database) as connection:
        trials = connection.execute("SELECT count(*), min(eager_ms) FROM baseline_trials").fetchone()
    assert trials[0] == sum(row["trials"] for row in rows.values())
    assert trials[1] > 0
    shown = kbeval("baseline", "--show", "--size", "smoke", "--json")
    assert [row["problem"] for row in shown.json["problems"]] == ["L1_019", "L2_076"]


def test_goes_on_where_it_was_killed(kbeval: Kbeval, database: Path, tmp_path: Path) -> None:
    problems = ("L1_019", "L1_020", "L1_021")
    environment = {
        "KBEVAL_DB": str(database),
        "KBEVAL_CACHE": str(tmp_path / "cache"),
        "PATH": "/usr/bin:/bin",
    }
    process = subprocess.Popen(
        [BINARY, "baseline", *problems, *QUICK],
        env=environment,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    while process.poll() is None and not (database.exists() and rows_or_none(database)):
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = stored(database)
    assert before
    result = kbeval("baseline", *problems, *QUICK, "--resume")
    assert result.code == 0, result.err
    assert f"{3 - len(before)} measured" in result.err
    assert stored(database) == dict.fromkeys(problems, 1)


def rows_or_none(database: Path) -> dict[str, int]:
    try:
        return stored(database)
    except sqlite3.Error:
        return {}


def test_a_spent_budget_leaves_problems(kbeval: Kbeval, database: Path) -> None:
    result = kbeval("baseline", "L1_019", "L1_020", "L1_021", "L1_022", *QUICK, "--time-budget", "1")
    assert result.code == 1
    assert "left for lack of time" in result.err
    assert 0 < len(stored(database)) < 4


def test_bad_usage(kbeval: Kbeval) -> None:
    assert kbeval("baseline", "L9_999").code == 2
    assert kbeval("baseline", "--show").code == 2
