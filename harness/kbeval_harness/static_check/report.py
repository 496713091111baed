"""What a check finds: violations, warnings and kernels, collected and rendered as one JSON object."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from kbeval_harness.static_check.rules import BY_NAME

MAX_FINDINGS = 50
"""Most violations, and most warnings, in one report."""

MAX_KERNELS = 500
"""Most kernels in one report."""

_MAX_EXCERPT = 80


def excerpt(text: str) -> str:
    """`text` fit for a one-line message: printable ASCII, at most 80 characters."""
    shown = text if len(text) <= _MAX_EXCERPT else text[: _MAX_EXCERPT - 3] + "..."
    return "".join(c if " " <= c <= "~" else "?" for c in shown)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something is: line and column, both counted from 1; the column counts characters."""

    line: int
    column: int


def place_of(node: ast.AST) -> Place:
    """The place at which `node` starts; the first character for nodes that have none."""
    return Place(getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken rule or one warning."""

    code: str
    rule: str
    message: str
    place: Place

    def to_json(self) -> dict[str, Any]:
        """The finding as it is printed."""
        return {
            "code": self.code,
            "rule": self.rule,
            "message": self.message,
            "line": self.place.line,
            "column": self.place.column,
        }


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel that the source defines. `qualified` carries the C++ namespaces where they are simple."""

    name: str
    qualified: str
    kind: str  # "triton", "cuda" or "cpp"
    place: Place

    def to_json(self) -> dict[str, Any]:
        """The kernel as it is printed."""
        return {"name": self.name, "qualified": self.qualified, "kind": self.kind, "line": self.place.line}


@dataclass(slots=True)
class Report:
    """Collects findings and kernels; duplicates (same rule, place and message) are kept once."""

    source_bytes: int = 0
    uses_load_inline: bool = False
    uses_triton: bool = False
    _findings: dict[tuple[str, Place, str], Finding] = field(default_factory=dict)
    _kernels: dict[tuple[str, str], Kernel] = field(default_factory=dict)

    def add(self, rule_name: str, message: str, place: Place) -> None:
        """Records that the rule `rule_name` was broken at `place`. Raises KeyError for an unknown rule."""
        rule = BY_NAME[rule_name]
        self._findings.setdefault((rule.code, place, message), Finding(rule.code, rule.name, message, place))

    def add_kernel(self, kernel: Kernel) -> None:
        """Records a kernel; one of the same kind and qualified name is kept once."""
        self._kernels.setdefault((kernel.kind, kernel.qualified), kernel)

    @property
    def kernels(self) -> list[Kernel]:
        """All kernels, by place."""
        return sorted(self._kernels.values(), key=lambda k: (k.place, k.kind, k.qualified))

    @property
    def violations(self) -> list[Finding]:
        """All violations, by place."""
        return self._sorted(warnings=False)

    @property
    def warnings(self) -> list[Finding]:
        """All warnings, by place."""
        return self._sorted(warnings=True)

    def _sorted(self, *, warnings: bool) -> list[Finding]:
        chosen = (f for f in self._findings.values() if BY_NAME[f.rule].is_warning == warnings)
        return sorted(chosen, key=lambda f: (f.place, f.code, f.message))

    def to_json(self) -> dict[str, Any]:
        """The report as it is printed: lists are cut to their bounds, and `truncated` says if any was."""
        violations, warnings, kernels = self.violations, self.warnings, self.kernels
        return {
            "ok": not violations,
            "violations": [f.to_json() for f in violations[:MAX_FINDINGS]],
            "warnings": [f.to_json() for f in warnings[:MAX_FINDINGS]],
            "truncated": max(len(violations), len(warnings)) > MAX_FINDINGS or len(kernels) > MAX_KERNELS,
            "kernels": [k.to_json() for k in kernels[:MAX_KERNELS]],
            "uses_load_inline": self.uses_load_inline,
            "uses_triton": self.uses_triton,
            "source_bytes": self.source_bytes,
        }
