"""Batches with the real binary: sources, resuming after kills, several devices, traces."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

from conftest import BINARY, ROOT, Kbeval

FAILING = ROOT / "examples" / "failing"
TRITON = ROOT / "examples" / "L1_088_gelu_triton.py"
KILL_JOBS = int(os.environ.get("KBEVAL_KILL_JOBS", "24"))  # 1000 and 20 in results/
KILLS = int(os.environ.get("KBEVAL_KILLS", "6"))
QUICK = ("--device", "cpu", "--timing-budget", "4")


def manifest(folder: Path, lines: list[dict[str, Any]]) -> Path:
    file = folder / "m.jsonl"
    file.write_text("".join(json.dumps({"problem": "L1_088", **line}) + "\n" for line in lines))
    return file


def jobs(database: Path) -> list[tuple[str, str | None]]:
    with sqlite3.connect(database) as connection:
        return connection.execute("SELECT label, status FROM jobs ORDER BY position").fetchall()


def test_reference_is_kept_between_candidates_and_the_trace_shows_it(
    kbeval: Kbeval, tmp_path: Path, database: Path
) -> None:
    file = manifest(
        tmp_path,
        [
            {"path": str(FAILING / "incorrect.py"), "label": "wrong", "arm": "bare"},
            {"path": str(FAILING / "no_custom_kernel.py"), "label": "none", "arm": "ace", "reader": "r"},
            {"path": str(FAILING / "incorrect.py"), "label": "again"},
            {"path": str(FAILING / "no_code.md"), "reply": True, "label": "empty"},
        ],
    )
    trace = tmp_path / "trace.json"
    result = kbeval("batch", file, *QUICK, "--trace", trace)
    assert result.code == 1, result.err
    assert jobs(database) == [
        ("wrong", "incorrect"),
        ("none", "no_custom_kernel"),
        ("again", "incorrect"),
        ("empty", "no_code"),
    ]
    assert "ace/r" in result.out
    assert "\x1b" not in result.out + result.err
    events = json.loads(trace.read_text())
    assert [e["name"] for e in events].count("load_problem") == 1
    own = [e["args"]["own_seconds"] for e in events if "own_seconds" in e.get("args", {})]
    assert len(own) == 3
    assert all(0 <= seconds < 5 for seconds in own)


def test_limit_resume_and_infrastructure(kbeval: Kbeval, tmp_path: Path, database: Path) -> None:
    file = manifest(tmp_path, [{"path": str(FAILING / "forbidden.py"), "label": str(i)} for i in range(5)])
    first = kbeval("batch", file, *QUICK, "--limit", "2")
    assert first.code == 1
    assert "3 candidates are left" in first.err
    second = kbeval("batch", file, *QUICK, "--resume")
    assert "[3/5" in second.err
    assert "[1/5" not in second.err
    assert [status for _, status in jobs(database)] == ["forbidden"] * 5
    third = kbeval("batch", file, *QUICK, "--resume", "--json")
    assert (third.code, third.out) == (1, "")
    again = kbeval("batch", database, "--where", "status = 'forbidden'", *QUICK, "--db", tmp_path / "new.db")
    assert again.code == 1
    assert len(jobs(tmp_path / "new.db")) == 5


def test_two_devices_share_one_problem(kbeval: Kbeval, tmp_path: Path, database: Path) -> None:
    file = manifest(tmp_path, [{"path": str(FAILING / "incorrect.py"), "label": str(i)} for i in range(6)])
    result = kbeval("batch", file, "--gpus", "cpu:0,cpu:1", "--timing-budget", "4")
    assert result.code == 1, result.err
    with sqlite3.connect(database) as connection:
        devices = {row[0] for row in connection.execute("SELECT DISTINCT device FROM verdicts")}
    assert devices == {"cpu:0", "cpu:1"}
    assert [status for _, status in jobs(database)] == ["incorrect"] * 6


def host_of(kbeval: int) -> int | None:
    try:
        tasks = list(Path(f"/proc/{kbeval}/task").iterdir())
        children = " ".join((task / "children").read_text() for task in tasks).split()
    except OSError:
        return None
    for child in children:
        try:
            if b"kbeval_harness.host" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
        except OSError:
            continue
    return None


def test_kills_at_any_instant_lose_and_double_nothing(tmp_path: Path, database: Path) -> None:
    """kbeval and its runner host are killed at random; what is left in the end equals an undisturbed run."""
    kinds = ["incorrect", "forbidden", "no_custom_kernel", "runtime_error"]
    expected = [kinds[i % 4 if i % 3 == 0 else 1] for i in range(KILL_JOBS)]
    file = manifest(
        tmp_path, [{"path": str(FAILING / f"{kind}.py"), "label": f"{i}"} for i, kind in enumerate(expected)]
    )
    chance = random.Random(7)
    environment = {**os.environ, "KBEVAL_DB": str(database), "KBEVAL_CACHE": str(tmp_path / "cache")}
    command = [str(BINARY), "batch", str(file), *QUICK, "--resume"]
    for kill in range(KILLS + 24):
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        time.sleep(chance.uniform(0.05, 6) if kill < KILLS else 0)
        host = host_of(process.pid)
        if kill % 2 == 1 and host is not None and kill < KILLS:
            os.kill(host, signal.SIGKILL)  # the batch itself goes on
            time.sleep(chance.uniform(0.1, 2))
        if kill < KILLS:
            process.kill()
        _, err = process.communicate(timeout=250 + KILL_JOBS)
        if process.returncode >= 0:
            assert process.returncode == 1, err.decode()
            break
    assert [status for _, status in jobs(database)] == expected
    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM verdicts").fetchone()[0] == len(expected)
        assert connection.execute("SELECT count(*) FROM runs WHERE finished IS NOT NULL").fetchone()[0] == 1
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
