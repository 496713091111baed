"""Calibration, replay and the float64 oracle, by the real binary on the CPU device."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from conftest import BINARY, ROOT, Kbeval
from test_faults import children

TRITON = ROOT / "examples" / "L1_088_gelu_triton.py"
CPU = ("--device", "cpu", "--json")


def test_the_oracle_reports_both_sides_errors(kbeval: Kbeval) -> None:
    verdict = kbeval("check", "L1_088", TRITON, *CPU, "--oracle", "fp64", "--seeds", "2").json
    precision = verdict["precision"]
    assert precision["seeds"] == 2
    for side in ("ref", "cand"):
        assert 0 < precision[f"{side}_rms"] < precision[f"{side}_max_abs"] < 1e-5
    assert kbeval("show", verdict["id"], "--json").json["precision"] == precision
    assert "against fp64" in kbeval("show", verdict["id"]).out


def test_a_more_exact_candidate_shows_that_the_reference_is_less_accurate(
    kbeval: Kbeval, tmp_path: Path
) -> None:
    source = TRITON.read_text()
    assert "x = tl.load(x_ptr + offsets, mask=inside)" in source
    exact = tmp_path / "exact.py"
    exact.write_text(
        source.replace(
            "x = tl.load(x_ptr + offsets, mask=inside)",
            "x = tl.load(x_ptr + offsets, mask=inside).to(tl.float64)",
        )
    )
    result = kbeval("check", "L1_088", exact, *CPU, "--oracle", "fp64", "--seeds", "1")
    verdict = result.json
    assert verdict["status"] == "correct", verdict["message"]
    assert verdict["precision"]["cand_rms"] < verdict["precision"]["ref_rms"]
    assert verdict["flags"] == ["reference_less_accurate"]
    assert result.code == 0, "the flag tells a reader and disqualifies nothing"


def test_a_wrong_candidate_is_measured_too(kbeval: Kbeval) -> None:
    wrong = ROOT / "examples" / "failing" / "incorrect.py"
    verdict = kbeval("check", "L1_088", wrong, *CPU, "--oracle", "fp64").json
    assert verdict["status"] == "incorrect"
    assert verdict["precision"]["cand_max_abs"] > 1e-4 > verdict["precision"]["ref_max_abs"]
    assert verdict["flags"] == []


def test_a_replay_reproduces_and_says_what_differs(kbeval: Kbeval, database: Path) -> None:
    first = kbeval("check", "L1_088", TRITON, *CPU, "--seeds", "2", "--atol", "1e-3", "--rtol", "1e-3").json
    assert first["precision"] is None
    result = kbeval("replay", first["id"][:8], "--json")
    replay = result.json
    assert result.code == 0, replay
    assert replay["reproduced"] is True
    assert replay["outcome"] == replay["surroundings"] == []
    again = replay["after"]
    assert again["id"] != first["id"]
    for field in ("seed", "seeds", "atol", "settings", "agreement", "candidate_digest", "evaluator", "kind"):
        assert again[field] == first[field], field
    assert kbeval("log", "--json").json[0]["label"] == f"replay of {first['id']}"

    connection = sqlite3.connect(database)
    with connection:
        connection.execute(
            "UPDATE evaluation SET evaluator = '0123456789abcdef', status = 'incorrect' WHERE id = ?",
            (first["id"],),
        )
    connection.close()
    changed = kbeval("replay", first["id"][:8])
    assert changed.code == 1
    assert changed.out.startswith("DIFFERS  L1_088")
    assert "status\n    then incorrect\n    now  correct" in changed.out
    assert "evaluator\n    then 0123456789abcdef\n" in changed.out

    assert kbeval("replay", "abcd" * 8).code == 2
    connection = sqlite3.connect(database)
    with connection:
        connection.execute("UPDATE setting SET value = 'many' WHERE name = 'seeds'")
    connection.close()
    damaged = kbeval("replay", first["id"])
    assert damaged.code == 2
    assert "setting seeds: 'many' is no number" in damaged.err


def test_a_calibration_is_measured_stored_shown_and_referred_to(kbeval: Kbeval) -> None:
    assert kbeval("calibrate", "--show").code == 2
    result = kbeval(
        *("calibrate", "--device", "cpu", "--json", "--timings", "--problems", "L1_088"),
        *("--evaluations", "4", "--gains", "100", "--gain-evaluations", "2", "--seed", "3"),
    )
    assert result.code == 0, result.err
    calibration = result.json
    assert calibration["complete"] is True
    assert calibration["identical"]["false_fast1"]["total"] == 4
    assert calibration["gains"][0]["detected"]["total"] == 2
    assert [t["gain"] for t in calibration["timings"]].count(1.0) == 2
    slowed = [t for t in calibration["timings"] if t["gain"] == 1.0]
    assert all(t["speedup"] > 1.3 and t["true_speedup"] > 1.3 for t in slowed)
    assert all(t["lo95"] <= t["speedup"] <= t["hi95"] for t in calibration["timings"])
    assert len({t["processes"] for t in calibration["timings"]}) == 2

    shown = kbeval("calibrate", "--show")
    assert "| false fast1 on identical code |" in shown.out
    (finding,) = [f for f in kbeval("doctor", "--json").json if f["check"] == "calibration"]
    assert finding["ok"] is True
    assert calibration["id"][:8] in finding["detail"]
    verdict = kbeval("run", "L1_088", TRITON, *CPU).json
    assert verdict["conditions"]["calibration"] == calibration["id"]
    assert verdict["judge_speedup_lo95"] <= verdict["judge_speedup"] <= verdict["judge_speedup_hi95"]


def test_calibrate_refuses_bad_usage(kbeval: Kbeval) -> None:
    assert kbeval("calibrate", "--evaluations", "0").code == 2
    assert kbeval("calibrate", "--gains", "-1").code == 2
    unknown = kbeval("calibrate", "--problems", "L9_999", "--device", "cpu")
    assert unknown.code == 2
    assert "L9_999" in unknown.err


def test_stalls_and_a_busy_machine_are_survived(tmp_path: Path) -> None:
    """Runners are stopped for 30 ms now and then, and another process takes a core all the while."""
    environment = {**os.environ, "KBEVAL_DB": str(tmp_path / "k.db"), "KBEVAL_CACHE": str(tmp_path / "cache")}
    command = [BINARY, "calibrate", "--device", "cpu", "--json", "--problems", "L1_088", "--seed", "5"]
    process = subprocess.Popen(
        [*command, "--evaluations", "4", "--gain-evaluations", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    hog = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    chance = random.Random(1)
    stops = 0
    try:
        deadline = time.monotonic() + 240
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.2)
            runners = [grandchild for host in children(process.pid) for grandchild in children(host)]
            if runners:
                victim = chance.choice(runners)
                try:
                    os.kill(victim, signal.SIGSTOP)
                    time.sleep(0.03)
                    os.kill(victim, signal.SIGCONT)
                    stops += 1
                except ProcessLookupError:
                    continue
    finally:
        hog.kill()
        hog.wait()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err.decode()
    calibration = json.loads(out)
    assert stops >= 3
    assert calibration["failures"] == []
    identical = calibration["identical"]
    assert identical["false_fast1"]["total"] == 4
    assert identical["false_fast1"]["count"] <= 1
    assert identical["flagged"]["count"] <= 1
    assert identical["covered"]["count"] >= 3
