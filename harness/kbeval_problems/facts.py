"""Records what the problem files do, and checks them against recorded facts.

    python -m kbeval_problems.facts verify [ID...] --facts FILE    report every difference; status 1 if there is one
    python -m kbeval_problems.facts record [ID...] --out FILE      write the facts of the problems in the catalogue

trace.py documents the form of the facts and how they are had without allocating the tensors.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .trace import (
    CallList,
    Facts,
    ProblemFileError,
    expand_calls,
    group_calls,
    makes_values,
    problem_files,
    trace_problem,
    without_index,
)

DEFAULT_ROOT = Path(__file__).resolve().parents[2] / "problems"
# A constructor's recorded calls end here in facts that were recorded elsewhere: the rest is not known.
RECORDED_INIT_CALLS = 60
MAX_STORED_CHARS = 3000  # of one recorded value; beyond it stands its digest
_NUMPY_SCALAR = re.compile(r"np\.float64\(([^()]*)\)")
CALL_KEYS = ("input_calls", "init_calls", "forward_calls")


def differences(expected: Facts, found: Facts) -> list[str]:
    """One line for each fact that differs, naming it; empty where the problem does what was recorded."""
    lines: list[str] = []
    for key, value in expected.items():
        if key not in found:
            lines.append(f"{key}: recorded, but nothing of that name is found")
        elif isinstance(value, dict) and value.keys() == {"digest", "length"}:
            if value != _digest(found[key]):
                lines.append(
                    f"{key}: {value['length']} recorded and {len(found[key])} found, not all the same"
                )
        elif key in CALL_KEYS:
            lines += _call_differences(key, value, found[key])
        elif key == "modules":
            lines += _sequence_differences(key, value.splitlines(), found[key].splitlines())
        elif isinstance(value, dict):
            lines += _mapping_differences(key, value, found[key])
        elif value != found.get(key):
            lines.append(f"{key}: expected {value!r}, found {found.get(key)!r}")
    return lines


def _digest(value: Any) -> Facts:
    """What stands for a long list, mapping or text in recorded facts."""
    text = json.dumps(value, separators=(",", ":"))
    return {"digest": hashlib.sha256(text.encode()).hexdigest()[:16], "length": len(value)}


def _call_differences(key: str, expected: CallList, found: CallList) -> list[str]:
    wanted, had = ([_plain(call) for call in expand_calls(calls)] for calls in (expected, found))
    if key == "init_calls":
        whole = len(wanted) < RECORDED_INIT_CALLS
        wanted, had = (list(filter(makes_values, calls)) for calls in (wanted, had))
        had = had if whole else had[: len(wanted)]
    return _sequence_differences(key, wanted, had)


def _plain(call: str) -> str:
    """The call with two spellings of the same thing made one: NumPy's scalars, and meshgrid's default."""
    return _NUMPY_SCALAR.sub(r"\1", call).replace("indexing=None", "indexing='ij'")


def _sequence_differences(key: str, expected: Sequence[str], found: Sequence[str]) -> list[str]:
    """The first place where two sequences part; what follows it is seldom news."""
    for place, (wanted, had) in enumerate(zip(expected, found, strict=False)):
        if wanted not in (had, without_index(had)):
            return [f"{key}[{place}]: expected {wanted.strip()}\n    found {had.strip()}"]
    if len(expected) > len(found):
        return [f"{key}[{len(found)}]: expected {expected[len(found)].strip()}\n    found the end"]
    if len(found) > len(expected):
        return [f"{key}[{len(expected)}]: expected the end\n    found {found[len(expected)].strip()}"]
    return []


def _mapping_differences(key: str, expected: dict[str, Any], found: dict[str, Any]) -> list[str]:
    lines = [f"{key}.{name}: missing" for name in expected if name not in found]
    lines += [f"{key}.{name}: not expected" for name in found if name not in expected]
    lines += [
        f"{key}.{name}: expected {value}, found {found[name]}"
        for name, value in expected.items()
        if name in found and value != found[name]
    ]
    return lines


def read_facts(path: Path) -> dict[str, Facts]:
    """Problem id -> facts. Raises ProblemFileError naming the file where it is not such a mapping."""
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ProblemFileError(f"{path}: {error}") from error
    if not isinstance(facts, dict) or not all(isinstance(entry, dict) for entry in facts.values()):
        raise ProblemFileError(f"{path}: must be an object of problem ids and their facts")
    return facts


def write_facts(path: Path, facts: dict[str, Facts]) -> None:
    """One problem a line, repeats grouped, long values as digests: small, and changes show line by line."""
    lines = []
    for problem_id, entry in facts.items():
        stored = {**entry, **{key: group_calls(entry[key]) for key in CALL_KEYS}}
        for key, value in stored.items():
            if len(json.dumps(value)) > MAX_STORED_CHARS:
                stored[key] = _digest(entry[key])
        lines.append(f"{json.dumps(problem_id)}: {json.dumps(stored, separators=(',', ':'))}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def select(files: dict[str, Path], ids: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """The problems named, or all. Raises ProblemFileError for an id that has no file."""
    for problem_id in ids or list(files):
        if problem_id not in files:
            raise ProblemFileError(f"{problem_id}: no such problem file")
        yield problem_id, files[problem_id]


def verify(files: dict[str, Path], ids: Sequence[str], facts: dict[str, Facts]) -> int:
    """Prints the differences of each problem and returns how many problems differ."""
    wrong = 0
    for problem_id, path in select(files, ids):
        if problem_id not in facts:
            lines = ["not among the recorded facts"]
        else:
            try:
                lines = differences(facts[problem_id], trace_problem(path))
            except Exception as error:  # a problem may fail in any way; the others are still checked
                lines = [f"cannot be traced: {error!r}"]
        for line in lines:
            print(f"{problem_id}: {line}")
        wrong += bool(lines)
    return wrong


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Check problem files against recorded facts, or record them."
    )
    parser.add_argument("--problems", type=Path, default=DEFAULT_ROOT, help="folder of level1/, level2/, ...")
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("verify", help="report every difference from FILE")
    checking.add_argument("ids", nargs="*", metavar="ID", help="problems to check; all where left out")
    checking.add_argument("--facts", type=Path, required=True, metavar="FILE")
    recording = commands.add_parser("record", help="write the facts of the problem files")
    recording.add_argument("ids", nargs="*", metavar="ID", help="problems to record; all where left out")
    recording.add_argument("--out", type=Path, required=True, metavar="FILE")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    try:
        files = problem_files(options.problems)
        if options.command == "record":
            write_facts(options.out, {name: trace_problem(path) for name, path in select(files, options.ids)})
            return 0
        wrong = verify(files, options.ids, read_facts(options.facts))
    except ProblemFileError as error:
        print(f"facts: {error}", file=sys.stderr)
        return 2
    print(f"{len(options.ids or files) - wrong} problems as recorded, {wrong} different")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
