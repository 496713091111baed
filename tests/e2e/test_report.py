"""`kbeval report`: figures against an independent computation, comparison, regressions, and hostile texts."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sqlite3
import statistics
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Kbeval

MAKE = ROOT / "build" / "release" / "bin" / "kbeval_make_database"
CATALOGUE = {p["id"]: p for p in json.loads((ROOT / "problems" / "catalog.json").read_text())["problems"]}
T_975 = {
    3: 3.182446305284263
}  # of the published table; more degrees of freedom: the normal approximation is not used


def make(
    database: Path, count: int, label: str = "", *, seed: int = 1, trials: int = 5, hostile: bool = False
) -> None:
    database.parent.mkdir(parents=True, exist_ok=True)
    command = [MAKE, database, str(count), label, str(seed), str(trials), *(["hostile"] if hostile else [])]
    subprocess.run(command, check=True, timeout=60)


def rows_of(database: Path, where: str = "1") -> list[dict[str, Any]]:
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    return [dict(row) for row in connection.execute(f"SELECT * FROM verdicts WHERE {where}")]


def wilson(share: float, n: int) -> tuple[float, float]:
    z = statistics.NormalDist().inv_cdf(0.975)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return centre - half, centre + half


def by_problem(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    problems = defaultdict(list)
    for row in rows:
        if row["kind"] == "run" and row["status"] != "infra_error":
            problems[row["problem"]].append(row)
    return problems


def expect_figures(figures: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """The definitions of docs/reports.md once more, in Python over SQL rows."""
    problems = by_problem(rows)
    judged = [row for of in problems.values() for row in of]
    assert figures["evaluations"] == len(rows)
    assert figures["judged"] == len(judged)
    assert figures["problems"] == len(problems)
    assert figures["successes"] == sum(row["success"] for row in judged)
    assert figures["flagged"] == sum(row["flags"] != "[]" for row in judged)
    assert figures["problems_won"] == sum(any(row["success"] for row in of) for of in problems.values())
    for point in figures["fast_p"] + figures["curve"]:
        p = point["p"]

        def sure(row: dict[str, Any], p: float = p) -> bool:
            clean = row["status"] == "correct" and row["flags"] == "[]"
            return clean and (p == 0 or (row["speedup_lo95"] or 0) > p)

        def raw(row: dict[str, Any], p: float = p) -> bool:
            return row["status"] == "correct" and (p == 0 or (row["speedup"] or 0) > p)

        share = statistics.fmean(statistics.fmean(map(sure, of)) for of in problems.values())
        assert point["fast_p"] == pytest.approx(share, abs=1e-12)
        assert point["raw"] == pytest.approx(
            statistics.fmean(statistics.fmean(map(raw, of)) for of in problems.values())
        )
        assert point["best"] == pytest.approx(
            statistics.fmean(any(map(sure, of)) for of in problems.values())
        )
        low, high = wilson(share, len(problems))
        assert point["lo95"] == pytest.approx(max(0.0, low), abs=1e-9)
        assert point["hi95"] == pytest.approx(min(1.0, high), abs=1e-9)
    for name in ("speedup", "speedup_vs_compile"):
        means = []
        for of in problems.values():
            logs = [
                math.log(r[name]) for r in of if r["status"] == "correct" and r["flags"] == "[]" and r[name]
            ]
            if logs:
                means.append(statistics.fmean(logs))
        if not means:
            assert figures[name] is None
            continue
        assert figures[name]["value"] == pytest.approx(math.exp(statistics.fmean(means)))
        if len(means) == 4:
            half = T_975[3] * statistics.stdev(means) / 2
            assert figures[name]["hi95"] == pytest.approx(math.exp(statistics.fmean(means) + half), rel=1e-2)


def test_figures_equal_those_of_an_independent_query(kbeval: Kbeval, database: Path) -> None:
    make(database, 600, "nightly")
    make(database, 50, "other", seed=2)
    report = kbeval("report", "nightly", "--json").json
    (group,) = report["groups"]
    rows = rows_of(database, "label = 'nightly'")
    expect_figures(group["figures"], rows)
    (label,) = group["labels"]
    assert label["label"] == "nightly"
    expect_figures({**label["figures"], "curve": []}, rows)
    assert sorted(group["evaluations"]) == sorted(row["id"] for row in rows)
    levels = [s for s in group["slices"] if s["level"] is not None and s["family"] is None]
    families = [s for s in group["slices"] if s["level"] is None]
    both = [s for s in group["slices"] if s["level"] is not None and s["family"] is not None]
    assert [s["level"] for s in levels] == [1, 2, 3]
    assert len(families) > 5
    for part in levels + families + both:
        of = [
            row
            for row in rows
            if part["level"] in (None, CATALOGUE[row["problem"]]["level"])
            and part["family"] in (None, CATALOGUE[row["problem"]]["family"])
        ]
        if part["figures"]["judged"]:
            expect_figures(part["figures"], of)


def test_nothing_that_is_not_comparable_is_mixed(kbeval: Kbeval, database: Path) -> None:
    make(database, 40, "a")
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE evaluation SET gpu = 'Another' WHERE key % 2")
        connection.execute("UPDATE evaluation SET evaluator = 'fedcba9876543210' WHERE key % 3 = 0")
    groups = kbeval("report", "--json").json["groups"]
    assert len(groups) == 4
    for group in groups:
        expect_figures(
            group["figures"],
            rows_of(database, f"gpu = '{group['gpu']}' AND evaluator = '{group['evaluator']}'"),
        )
    (mixed,) = kbeval("report", "--json", "--mix").json["groups"]
    assert mixed["figures"]["evaluations"] == 40
    (one,) = kbeval("report", "--json", "--gpu", "Another", "--evaluator", "fedcba9876543210").json["groups"]
    assert {one["gpu"], one["evaluator"]} == {"Another", "fedcba9876543210"}


def test_comparison_with_an_earlier_run(kbeval: Kbeval, database: Path) -> None:
    make(database, 500, "before", seed=1)
    make(database, 500, "now", seed=2)
    comparison = kbeval("report", "now", "--against", "before", "--json").json["comparison"]

    def newest(label: str) -> dict[str, dict[str, Any]]:
        rows = sorted(rows_of(database, f"label = '{label}'"), key=lambda row: row["created"])
        return {problem: of[-1] for problem, of in by_problem(rows).items()}

    before, now = newest("before"), newest("now")
    assert {pair["problem"] for pair in comparison["pairs"]} == before.keys() & now.keys()
    assert set(comparison["gone"]) == before.keys() - now.keys()
    assert set(comparison["new"]) == now.keys() - before.keys()
    changes = set()
    for pair in comparison["pairs"]:
        b, n = before[pair["problem"]], now[pair["problem"]]
        assert (pair["before"]["id"], pair["now"]["id"]) == (b["id"], n["id"])
        clean = b["status"] == n["status"] == "correct" and b["flags"] == n["flags"] == "[]"
        expected = "same"
        if b["success"] != n["success"]:
            expected = "fixed" if n["success"] else "broken"
        elif clean and n["speedup_hi95"] < b["speedup_lo95"]:
            expected = "loss"
        elif clean and n["speedup_lo95"] > b["speedup_hi95"]:
            expected = "gain"
        elif b["status"] != n["status"]:
            expected = "status"
        assert pair["change"] == expected, pair["problem"]
        changes.add(expected)
        if clean:
            assert pair["ratio"] == pytest.approx(n["speedup"] / b["speedup"])
    assert changes == {"broken", "fixed", "loss", "gain", "status", "same"}
    assert comparison["pairs"][0]["change"] == "broken"


def test_another_database_can_be_compared_with(kbeval: Kbeval, database: Path, tmp_path: Path) -> None:
    make(database, 30, "x")
    earlier = tmp_path / "earlier.db"
    make(earlier, 30, "x")
    comparison = kbeval("report", "x", "--against", earlier, "--json").json["comparison"]
    assert comparison["pairs"]
    assert all(pair["same_source"] and pair["change"] == "same" for pair in comparison["pairs"])


def test_regressions_decide_the_exit_status(kbeval: Kbeval, database: Path) -> None:
    make(database, 60, "x")
    result = kbeval("report", "--regressions")
    assert (result.code, "0 stored successes no longer hold" in result.err) == (0, True)
    copy = (
        "INSERT INTO evaluation SELECT key + 1000, source, substr(id, 1, 24) || '{tail}', '{created}', kind, problem, "
        "problem_digest, candidate_digest, 'again', '{status}', 'it broke', ref_ms, compile_ms, cand_ms, speedup, "
        "speedup_mean, speedup_lo95, speedup_hi95, speedup_vs_compile, compile_note, trials, own_kernel_time_frac, "
        "fast1_raw, fast1, 0, score, agreement, evaluator, device, gpu, size, atol, rtol, seed, seeds "
        "FROM evaluation WHERE key = (SELECT min(key) FROM evaluation WHERE success)"
    )
    with sqlite3.connect(database) as connection:
        connection.execute(
            copy.format(tail="00000000", created="2027-01-01T00:00:00.000Z", status="infra_error")
        )
    assert kbeval("report", "--regressions").code == 0, "an infrastructure failure is no regression"
    with sqlite3.connect(database) as connection:
        connection.execute(
            copy.replace("key + 1000", "key + 2000").format(
                tail="11111111", created="2027-01-02T00:00:00.000Z", status="runtime_error"
            )
        )
    result = kbeval("report", "--regressions")
    assert result.code == 1
    assert "1 stored success no longer holds" in result.err
    assert "it broke" in result.out
    (regression,) = kbeval("report", "--json").json["regressions"]
    assert (regression["change"], regression["now"]["status"]) == ("broken", "runtime_error")
    assert kbeval("report", "again", "--against", "x", "--regressions").code == 1
    assert kbeval("report", "x", "--against", "again", "--regressions").code == 0


def test_csv_holds_every_evaluation(kbeval: Kbeval, database: Path) -> None:
    make(database, 90, "x", hostile=True)
    table = list(csv.DictReader(io.StringIO(kbeval("report", "--csv").out, newline="")))
    rows = {row["id"]: row for row in rows_of(database)}
    assert len(table) == 90
    documented = (ROOT / "docs" / "reports.md").read_text()
    for line in table:
        row = rows[line["id"]]
        for name in ("speedup", "speedup_lo95", "cand_ms", "score"):
            assert line[name] == "" if row[name] is None else float(line[name]) == row[name]
        assert line["message"].lstrip("'") == row["message"]
        assert not line["message"].startswith(("=", "+", "-", "@"))
    for name in table[0]:
        assert re.search(rf"^\| (.*, )?{name}(, .*)? \|", documented, re.MULTILINE), name


def test_markdown_stays_text(kbeval: Kbeval, database: Path) -> None:
    make(database, 60, "nightly", hostile=True)
    text = kbeval("report", "--md").out
    assert text.startswith("## kbeval report")
    outside = text.replace("<details>", "").replace("</details>", "").replace("<summary>", "")
    outside = outside.replace("</summary>", "").replace("<!-- -->", "")
    assert "<" not in outside
    assert "@<!-- -->everyone" in text
    assert "`" not in text
    for table in text.split("\n\n"):
        widths = {line.count("|") for line in table.splitlines() if line.startswith("|")}
        assert len(widths) <= 1, table


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["report"], 2, "nothing has been recorded there yet"),
        (["report", "absent"], 2, "nothing has been recorded there yet"),
        (["report", "--csv", "--json"], 2, "--json"),
        (["report", "--size", "tiny"], 2, "--size"),
        (["report", "--db", ROOT], 2, "is a folder"),
        (["report", ROOT / "README.md"], 2, "README.md"),
    ],
)
def test_mistakes(kbeval: Kbeval, arguments: list[str], code: int, text: str) -> None:
    result = kbeval(*arguments)
    assert result.code == code
    assert text in result.err


def test_an_unknown_run_is_an_error(kbeval: Kbeval, database: Path) -> None:
    make(database, 5, "x")
    result = kbeval("report", "y\x1b[2J")
    assert result.code == 2
    assert "no evaluation has the label" in result.err
    assert "\x1b" not in result.err
    assert kbeval("report", "--level", "9").out.count("No evaluation matches") == 1


def test_json_keeps_its_schema(kbeval: Kbeval, database: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text())
    make(database, 80, "a", hostile=True)
    make(database, 80, "b", seed=2)
    for arguments in ([], ["b", "--against", "a"], ["--level", "9"]):
        jsonschema.validate(kbeval("report", "--json", *arguments).json, schema)
    broken = kbeval("report", "--json").json
    broken["groups"][0]["figures"]["fast_p"][0]["fast_p"] = 2
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)
