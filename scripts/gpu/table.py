"""The Markdown tables of results/ from a database that scripts/gpu/prove made.

python3 scripts/gpu/table.py DATABASE SELFTEST.json > table.md
"""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

COLUMNS = "problem, label, status, ref_ms, compile_ms, cand_ms, speedup, speedup_lo95, speedup_hi95, speedup_vs_compile, own_kernel_time_frac, trials, flags, stages, message, compile_note, gpu, evaluator"  # noqa: E501


def number(value: Any, pattern: str = "{:.4g}") -> str:
    return "" if value is None else pattern.format(value)


def seconds(stages: str) -> float:
    data = json.loads(stages)
    pairs = data.items() if isinstance(data, dict) else [(s["name"], s["seconds"]) for s in data]
    return sum(value for _, value in pairs)


def rows(database: str, where: str) -> list[sqlite3.Row]:
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    return connection.execute(
        f"SELECT {COLUMNS} FROM verdicts WHERE {where} ORDER BY label, created"
    ).fetchall()


def main() -> None:
    database, selftest = sys.argv[1:3]
    candidates = rows(database, "label <> 'self'")
    own = rows(database, "label = 'self'")
    first = (candidates or own)[0]
    print(f"GPU {first['gpu']}, evaluator {first['evaluator']}\n")
    print("| candidate | status | ref ms | compile ms | cand ms | speedup | lo95 | vs compile | own share | trials |"
          " flags | s |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for r in candidates:
        flags = ", ".join(json.loads(r["flags"]))
        print(
            f"| {r['label']} | {r['status']} | {number(r['ref_ms'])} | {number(r['compile_ms'])} |"
            f" {number(r['cand_ms'])} | {number(r['speedup'])} | {number(r['speedup_lo95'])} |"
            f" {number(r['speedup_vs_compile'])} | {number(r['own_kernel_time_frac'], '{:.3f}')} | {r['trials']} |"
            f" {flags} | {seconds(r['stages']):.1f} |"
        )
    print("\n| reference against itself | ref ms | cand ms | speedup | interval | holds 1 | off by |")
    print("|---|---|---|---|---|---|---|")
    for r in own:
        if r["speedup"] is None:
            print(f"| {r['problem']} | {r['status']}: {r['message']} | | | | | |")
            continue
        holds = r["speedup_lo95"] <= 1 <= r["speedup_hi95"]
        print(
            f"| {r['problem']} | {number(r['ref_ms'])} | {number(r['cand_ms'])} | {r['speedup']:.4f} |"
            f" {r['speedup_lo95']:.4f} to {r['speedup_hi95']:.4f} | {'yes' if holds else 'no'} |"
            f" {100 * abs(r['speedup'] - 1):.2f} % |"
        )
    notes = [r for r in [*candidates, *own] if r["status"] != "correct" or r["compile_note"]]
    if notes:
        print("\nNotes:\n")
        for r in notes:
            print(f"- {r['label']} {r['problem']}: {r['message'] or r['compile_note']}")
    if Path(selftest).exists():
        print(
            "\nNative library:\n\n```json\n"
            + json.dumps(json.loads(Path(selftest).read_text()), indent=1)
            + "\n```"
        )


if __name__ == "__main__":
    main()
