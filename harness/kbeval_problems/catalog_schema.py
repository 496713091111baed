"""The catalogue's schema, and a check against it that names every rule that is broken."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

FAMILIES = {
    *("activation", "attention", "conv", "conv_transpose", "loss", "matmul", "network", "norm", "pooling"),
    *("reduction", "rnn", "scan", "other"),
}
_COSTS = ("input_bytes", "parameter_bytes", "output_bytes", "flops", "least_bytes", "operators")


def _text(pattern: str) -> Callable[[Any], bool]:
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _tolerance(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1


def _tags(value: Any) -> bool:
    good = isinstance(value, list) and all(map(_text(r"[a-z0-9_]+([-:][a-z0-9_]+)*"), value))
    return good and value == sorted(set(value))


def _constants(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_text("[A-Z][A-Z0-9_]*"), value))


def _costs(value: Any) -> bool:
    return value is None or (
        isinstance(value, dict) and tuple(value) == _COSTS and all(map(_count, value.values()))
    )


RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "id": (_text(r"L[1-9]_\d{3}"), "L, a level, _ and three digits"),
    "name": (_text(r"\w+"), "letters, digits and _"),
    "file": (_text(r"level[1-9]/L[1-9]_\d{3}_\w+\.py"), "level<n>/<id>_<name>.py"),
    "level": (_count, "a whole number"),
    "number": (_count, "a whole number"),
    "family": (lambda value: isinstance(value, str) and value in FAMILIES, "one of the families"),
    "atol": (_tolerance, "a number from 0 to 1"),
    "rtol": (_tolerance, "a number from 0 to 1"),
    "tags": (_tags, "distinct short words in order"),
    "smoke": (_constants, "constants by name"),
    "costs": (_costs, f"whole numbers {', '.join(_COSTS)}, or null"),
}


def violations(catalog: Any) -> list[str]:
    """One line for each broken rule, naming the entry; empty for a catalogue that follows the schema."""
    if not isinstance(catalog, dict) or catalog.get("version") != 1:
        return ["must be an object of version 1"]
    entries = catalog.get("problems")
    if not isinstance(entries, list):
        return ["problems: must be a list"]
    lines = []
    for place, entry in enumerate(entries):
        if not isinstance(entry, dict):
            lines.append(f"problems[{place}]: must be an object")
            continue
        name = str(entry.get("id", f"problems[{place}]"))
        lines += [f"{name}: lacks '{key}'" for key in RULES if key not in entry]
        lines += [f"{name}: has an unknown key '{key}'" for key in entry if key not in RULES]
        lines += [
            f"{name}: '{key}' must be {form}, is {entry[key]!r}"
            for key, (good, form) in RULES.items()
            if key in entry and not good(entry[key])
        ]
        said = f"level{entry.get('level')}/{name}_{entry.get('name')}.py"
        if entry.get("file") != said:
            lines.append(f"{name}: 'file' must be {said}")
        if name != f"L{entry.get('level')}_{entry.get('number', 0):03}":
            lines.append(f"{name}: id, level and number disagree")
    ids = [str(entry.get("id")) for entry in entries if isinstance(entry, dict)]
    lines += [f"{a}: is followed by {b}; ids must rise" for a, b in pairwise(ids) if a >= b]
    return lines
