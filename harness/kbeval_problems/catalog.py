"""Writes what the catalogue says of every problem that a rule yields, and checks the catalogue's form.

python -m kbeval_problems.catalog update [--tags FILE]   family and costs anew; tags of an audit's report
python -m kbeval_problems.catalog check                  status 1 and a line for each rule that is broken
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .catalog_schema import violations
from .facts import DEFAULT_ROOT
from .family import family_of
from .trace import load_problem, trace_module

Entry = dict[str, Any]
COSTS = ("input_bytes", "parameter_bytes", "output_bytes", "flops", "least_bytes")
WEAK = "weak-oracle:"


def read(root: Path) -> list[Entry]:
    entries: list[Entry] = json.loads((root / "catalog.json").read_text(encoding="utf-8"))["problems"]
    return entries


def write(root: Path, entries: list[Entry]) -> None:
    """A few lines an entry, so that a change shows what it changed."""
    text = ",\n".join(_entry_text(entry) for entry in entries)
    (root / "catalog.json").write_text(
        '{\n  "version": 1,\n  "problems": [\n' + text + "\n  ]\n}\n", encoding="utf-8"
    )


def _entry_text(entry: Entry) -> str:
    lines = [
        ("id", "name", "file"),
        ("level", "number", "family", "atol", "rtol"),
        ("tags",),
        ("smoke",),
        ("costs",),
        ("strict_inputs",),
    ]
    shown = []
    for keys in lines:
        present = [f'"{key}": {_value_text(entry[key])}' for key in keys if key in entry]
        if present:
            shown.append("      " + ", ".join(present))
    return "    {\n" + ",\n".join(shown) + "\n    }"


def _value_text(value: Any) -> str:
    if isinstance(value, float) and 0 < value < 0.01:
        mantissa, _, exponent = f"{value:e}".partition("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"  # 1e-4
    return json.dumps(value)


def with_rules(root: Path, entry: Entry) -> Entry:
    """The entry with its family and costs as the rules yield them."""
    facts = trace_module(load_problem(root / entry["file"]))
    costs = {name: facts["costs"][name] for name in COSTS}
    costs["operators"] = facts["forward_call_count"]
    return {**entry, "family": family_of(entry["name"], entry["level"], facts), "costs": costs}


def with_findings(entry: Entry, kinds: Sequence[str]) -> Entry:
    """The entry with the weaknesses that an audit found as tags, in place of those found before."""
    tags = [tag for tag in entry["tags"] if not tag.startswith(WEAK)]
    return {**entry, "tags": sorted({*tags, *(WEAK + kind for kind in kinds)})}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Update or check the catalogue of problems.")
    parser.add_argument("--problems", type=Path, default=DEFAULT_ROOT, help="folder of catalog.json")
    commands = parser.add_subparsers(dest="command", required=True)
    updating = commands.add_parser("update", help="family and costs by rule")
    updating.add_argument("--tags", type=Path, help="what `kbeval problems audit --json` printed")
    commands.add_parser("check", help="report what breaks the schema")
    chosen = parser.parse_args(arguments)
    if chosen.command == "check":
        lines = violations(json.loads((chosen.problems / "catalog.json").read_text(encoding="utf-8")))
        print("\n".join(lines) or "the catalogue follows its schema")
        return int(bool(lines))
    entries = [with_rules(chosen.problems, entry) for entry in read(chosen.problems)]
    if chosen.tags:
        audited = json.loads(chosen.tags.read_text(encoding="utf-8"))["problems"]
        found = {item["id"]: item["weaknesses"] for item in audited}
        entries = [with_findings(e, found[e["id"]]) if e["id"] in found else e for e in entries]
    write(chosen.problems, entries)
    return 0


if __name__ == "__main__":
    sys.exit(main())
