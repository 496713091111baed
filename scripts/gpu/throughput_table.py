"""The table of scripts/gpu/throughput from what it left in its folder; also throughput.json."""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from typing import Any


def json_of(file: Path) -> Any:
    return json.loads(file.read_text()) if file.exists() and file.stat().st_size else None


def own_seconds(trace: Path) -> list[float]:
    return [
        event["args"]["own_seconds"]
        for event in json_of(trace) or []
        if "own_seconds" in event.get("args", {})
    ]


def candidate_build_seconds(trace: Path) -> float | None:
    """How long the candidate's module took to execute, which is its build."""
    events = json_of(trace) or []
    tracks = {
        e["tid"] for e in events if e["name"] == "thread_name" and e["args"]["name"].endswith("candidate")
    }
    found = [e["dur"] / 1e6 for e in events if e["name"] == "build" and e["tid"] in tracks]
    return max(found, default=None)


def collect(folder: Path) -> dict[str, float]:
    figures: dict[str, float] = {}
    notes = folder / "figures.jsonl"
    for line in notes.read_text().splitlines() if notes.exists() else []:
        figure = json.loads(line)  # the newest of a name counts
        figures[figure["name"]] = figure["seconds"]
    stock = json_of(folder / "stock-build.json")
    if stock:
        figures["stock_build"] = stock["build_s"]
    for run in ("cold", "cached"):
        seconds = candidate_build_seconds(folder / f"trace-build-{run}.json")
        if seconds is not None:
            figures[f"{run}_build"] = seconds
    for run in ("first", "second"):
        own = own_seconds(folder / f"trace-{run}.json")
        if own:
            figures[f"own_median_{run}"] = statistics.median(own)
            figures[f"own_max_{run}"] = max(own)
    return figures


def row(what: str, figures: dict[str, float], name: str, base: str | None, goal: str) -> str:
    if name not in figures:
        return f"| {what} | not measured | | {goal} |"
    share = f"1/{figures[base] / figures[name]:.1f}" if base and base in figures else ""
    return f"| {what} | {figures[name]:.2f} s | {share} | {goal} |"


def main() -> None:
    folder = Path(sys.argv[1])
    figures = collect(folder)
    (folder / "throughput.json").write_text(json.dumps(figures, indent=1) + "\n")
    print("| figure | measured | of the stock flow | goal |\n| --- | --- | --- | --- |")
    print(row("all candidates, stock flow (eager only)", figures, "stock", None, ""))
    print(row("all candidates, kbeval, first run", figures, "first", "stock", "1/4"))
    print(row("the same again", figures, "second", "stock", "1/10"))
    print(row("load_inline build, stock, cold", figures, "stock_build", None, ""))
    print(row("load_inline build, kbeval, cold", figures, "cold_build", "stock_build", "1/3"))
    print(row("load_inline build, kbeval, cached", figures, "cached_build", "stock_build", "0.2 s"))
    for run in ("first", "second"):
        print(row(f"kbeval's own time, median, {run} run", figures, f"own_median_{run}", None, "0.3 s"))
        print(row(f"kbeval's own time, most, {run} run", figures, f"own_max_{run}", None, ""))


if __name__ == "__main__":
    main()
