"""The database's views: against tables and `kbeval report`, and through the tools that docs/database.md names."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import BINARY, ROOT, Kbeval
from test_report import CATALOGUE, by_problem, make, rows_of

DOCUMENTED = (ROOT / "docs" / "database.md").read_text()
VIEWS = ["verdicts", "trials", "problem_names", "judged", "latest", "fast_p", "failures", "flagged", "gpu_health",
         "stage_seconds", "sources"]  # fmt: skip


@pytest.fixture
def filled(kbeval: Kbeval, database: Path) -> Path:
    make(database, 300, "a")
    make(database, 200, "b", seed=2)
    assert kbeval("report").code == 0  # lets the views know the catalogue
    return database


def query(database: Path, sql: str) -> list[dict[str, Any]]:
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql)]


def test_every_view_and_column_is_documented(filled: Path) -> None:
    with contextlib.closing(sqlite3.connect(filled)) as connection:
        views = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view'")}
        assert set(VIEWS) <= views
        for view in views:
            part = re.search(rf"## View `{view}`\n(.*?)(?=\n## )", DOCUMENTED + "\n## ", re.DOTALL)
            assert part, view
            for _, column, *_rest in connection.execute(f"PRAGMA table_info({view})"):
                assert re.search(rf"\b{column}\b", part[1]), f"{view}.{column}"


def test_fast_p_is_that_of_the_report(kbeval: Kbeval, filled: Path) -> None:
    for label in ("a", "b"):
        (group,) = kbeval("report", label, "--json").json["groups"]
        parts: dict[tuple[Any, Any], dict[str, Any]] = {(None, None): group["figures"]}
        for part in group["slices"]:
            parts[part["level"], part["family"]] = part["figures"]
        rows = query(filled, f"SELECT * FROM fast_p WHERE label = '{label}'")
        assert {row["part"] for row in rows} == {"all", "level", "family"}
        for row in rows:
            figures = parts[row["level"], row["family"]]
            (point,) = [each for each in figures["fast_p"] if each["p"] == row["p"]]
            assert row["problems"] == figures["problems"]
            for name in ("fast_p", "raw", "best"):
                assert row[name] == pytest.approx(point[name]), (row, name)


def test_judged_latest_and_names(filled: Path) -> None:
    rows = rows_of(filled)
    judged = query(filled, "SELECT * FROM judged")
    expected = [row for of in by_problem(rows).values() for row in of]
    assert {row["id"] for row in judged} == {row["id"] for row in expected}
    for row in judged:
        problem = CATALOGUE[row["problem"]]
        assert (row["name"], row["level"], row["family"]) == (
            problem["name"],
            problem["level"],
            problem["family"],
        )
    newest: dict[tuple[str, str], Any] = {}
    for row in sorted(expected, key=lambda row: row["created"]):
        newest[row["problem"], row["label"]] = row["id"]
    assert {row["id"] for row in query(filled, "SELECT id FROM latest")} == set(newest.values())


def test_failures_flags_and_health(filled: Path) -> None:
    rows = rows_of(filled)
    failures = query(filled, "SELECT status, sum(evaluations) AS n FROM failures GROUP BY status")
    assert {row["status"]: row["n"] for row in failures} == Counter(
        row["status"] for row in rows if row["status"] != "correct"
    )
    flags = Counter(flag for row in rows for flag in json.loads(row["flags"]))
    assert Counter(row["flag"] for row in query(filled, "SELECT flag FROM flagged")) == flags
    health = query(filled, "SELECT * FROM gpu_health")
    assert len(health) == len(rows)
    conditions = {row["id"]: json.loads(row["conditions"]) for row in rows}
    for row in health:
        of = conditions[row["evaluation"]]
        assert (row["sm_mhz"], row["temperature_c"]) == (int(of["sm_mhz"]), int(of["temperature_c"]))
        assert row["slowed"] == (of["throttle_reasons"] == "64")
        assert row["memory_mhz"] is None
    assert sum(row["slowed"] for row in health) > 0


def test_a_database_that_knows_no_catalogue(database: Path) -> None:
    make(database, 50, "a")
    rows = query(database, "SELECT DISTINCT level, family FROM judged ORDER BY level")
    assert [(row["level"], row["family"]) for row in rows] == [(1, "unknown"), (2, "unknown"), (3, "unknown")]


def documented_examples(language: str, mark: str) -> list[str]:
    blocks = re.findall(rf"```{language}\n(.*?)```", DOCUMENTED, re.DOTALL)
    found = [block for block in blocks if mark in block]
    assert found, f"docs/database.md has no example with {mark}"
    return found


def with_files(example: str, database: Path) -> str:
    return example.replace("~/.local/share/kbeval/kbeval.db", str(database)).replace(
        "kbeval.csv", str(database) + ".csv"
    )


def test_examples_for_the_shell(filled: Path, tmp_path: Path) -> None:
    if shutil.which("sqlite3") is None:
        pytest.skip("sqlite3 is not installed")
    environment = {**os.environ, "PATH": f"{BINARY.parent}:{os.environ['PATH']}", "KBEVAL_DB": str(filled)}
    with sqlite3.connect(filled) as connection:
        connection.execute("UPDATE evaluation SET gpu = 'NVIDIA H200'")
    for example in documented_examples("sh", "sqlite3 -readonly"):
        run = subprocess.run(
            ["bash", "-ec", with_files(example, filled)], capture_output=True, text=True, check=False, timeout=60,
            env=environment, cwd=tmp_path,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        assert len(run.stdout.splitlines()) > 3


@pytest.mark.parametrize("module", ["pandas", "duckdb"])
def test_examples_in_python(kbeval: Kbeval, filled: Path, module: str) -> None:
    pytest.importorskip(module)
    Path(str(filled) + ".csv").write_text(kbeval("report", "--csv").out, newline="")
    for example in documented_examples("python", f"import {module}"):
        run = subprocess.run(
            [sys.executable, "-c", with_files(example, filled)],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert run.returncode == 0, run.stderr
        assert "matmul" in run.stdout


@contextlib.contextmanager
def dashboard(database: Path) -> Iterator[str]:
    """scripts/dashboard on a free port; its environment is the user's cache, made once."""
    environment = {name: value for name, value in os.environ.items() if name != "KBEVAL_CACHE"}
    installed = subprocess.run(
        [ROOT / "scripts" / "dashboard", "--install-only"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if installed.returncode != 0:
        pytest.skip(f"Datasette can't be had here: {installed.stderr[-300:]}")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [ROOT / "scripts" / "dashboard", "--db", database, "--port", str(port)], env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                urllib.request.urlopen(f"{url}/-/versions.json", timeout=5).read()
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.1)
        yield url
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=20)


def answer(url: str, sql: str) -> Any:
    address = f"{url}/kbeval.json?_shape=array&sql={urllib.parse.quote(sql)}"
    return json.load(urllib.request.urlopen(address, timeout=20))


def test_the_dashboard_on_a_live_database(filled: Path, tmp_path: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    make(filled, 30, "hostile", seed=9, hostile=True)
    with dashboard(filled) as url:
        count = "SELECT count(*) AS n FROM verdicts"
        before = answer(url, count)[0]["n"]
        make(filled, 20, "while it runs", seed=11)  # a writer beside it
        assert answer(url, count)[0]["n"] == before + 20
        # Read-only: by this address nothing can be written.
        with pytest.raises(OSError, match="400"):
            answer(url, "DELETE FROM evaluation")
        if chromium is None:
            pytest.skip("there is no Chromium")
        with sync_api.sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1400, "height": 1600})
            requests: list[str] = []
            errors: list[str] = []
            page.on("request", lambda request: requests.append(request.url))
            page.on("pageerror", lambda error: errors.append(str(error)))
            for board, charts in (("overview", 4), ("gpu-health", 3)):
                page.goto(f"{url}/-/dashboards/{board}")
                sync_api.expect(page.locator(".vega-embed svg.marks")).to_have_count(charts, timeout=20_000)
                page.wait_for_load_state("networkidle")
                assert page.evaluate("window.hacked") is None
                assert page.locator("section.content table, .dashboard-chart table").count() > 0
            assert errors == []
            assert [each for each in requests if not each.startswith((url, "data:", "blob:"))] == []
            browser.close()


def test_the_dashboard_says_what_is_missing(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "dashboard"
    environment = {name: value for name, value in os.environ.items() if name != "KBEVAL_CACHE"}
    shown = subprocess.run([script, "--help"], capture_output=True, text=True, check=True).stdout
    assert "scripts/dashboard [--db FILE]" in shown
    wrong = subprocess.run([script, "--frobnicate"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, "unknown argument" in wrong.stderr) == (2, True)
    absent = subprocess.run(
        [script, "--db", tmp_path / "absent.db"], capture_output=True, text=True, check=False, env=environment
    )
    assert (absent.returncode, "nothing has been recorded" in absent.stderr) == (2, True)


def test_an_earlier_version_where_nothing_can_be_written(filled: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="kbeval-read-only-", dir="/tmp"))
    try:
        old = folder / "old.db"
        with contextlib.closing(sqlite3.connect(filled)) as connection:
            connection.execute("VACUUM INTO ?", (str(old),))
        with contextlib.closing(sqlite3.connect(old)) as connection:
            # As version 7 left it: version 8 only renews a view, version 9 adds a table and its view.
            connection.execute("DROP VIEW card_trials")
            connection.execute("DROP TABLE card_trial")
            connection.execute("PRAGMA user_version = 7")
        before = old.read_bytes()
        old.chmod(0o444)
        folder.chmod(0o555)
        # Root may write everywhere.
        command = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        if command and subprocess.run([*command, BINARY, "--version"], check=False).returncode != 0:
            pytest.skip("nobody but root can run the binary here")
        environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": "/nonexistent"}
        for arguments in (["log", "--limit", "2"], ["report"]):
            done = subprocess.run(
                [*command, BINARY, *arguments, "--db", old],
                capture_output=True,
                text=True,
                check=False,
                env=environment,
            )
            assert done.returncode == 0, done.stderr
            assert re.search(r"speedup", done.stdout)
        assert old.read_bytes() == before
        assert list(folder.iterdir()) == [old]
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)
