"""Reading string expressions without running them, with the place of each character where it can be known."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left

from kbeval_harness.static_check.names import Names
from kbeval_harness.static_check.report import Place

MAX_TEXT = 1 << 20
_MAX_STEPS = 64
_MAX_EXPRESSIONS = 50_000


class Text:
    """A string that the program holds, and the node that it comes from."""

    def __init__(self, value: str, node: ast.expr) -> None:
        self.value = value
        self._start = Place(node.lineno, node.col_offset + 1)
        lines = value.count("\n")
        spans = (node.end_lineno or node.lineno) - node.lineno
        self._is_exact = isinstance(node, ast.Constant) and lines > 0 and lines == spans
        self._line_ends = [m.start() for m in re.finditer("\n", value)] if self._is_exact else []

    def place(self, offset: int) -> Place:
        """The place of character `offset`: exact in a literal that spans its own lines, else where the
        node starts.
        """
        line = bisect_left(self._line_ends, offset)
        if line == 0:
            return self._start
        return Place(self._start.line + line, offset - self._line_ends[line - 1])


class Literals:
    """Evaluates the few forms of expression that build a string from literals."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._budget = _MAX_EXPRESSIONS

    def text(self, node: ast.expr) -> Text | None:
        """The string that `node` surely is, or None where it cannot be told."""
        origin = self._origin(node)
        value = self._evaluate(node, _MAX_STEPS)
        return Text(value, origin) if isinstance(value, str) else None

    def elements(self, node: ast.expr) -> list[ast.expr] | None:
        """The element expressions of a list or tuple, through a name or `+`; None for anything else."""
        node = self._origin(node)
        if isinstance(node, ast.List | ast.Tuple):
            return None if any(isinstance(e, ast.Starred) for e in node.elts) else list(node.elts)
        return None

    def keys(self, node: ast.expr) -> list[ast.expr] | None:
        """The key expressions of a dict literal; None for anything else."""
        node = self._origin(node)
        if isinstance(node, ast.Dict):
            keys = [key for key in node.keys if key is not None]
            return keys if len(keys) == len(node.keys) else None
        return None

    def _origin(self, node: ast.expr) -> ast.expr:
        for _ in range(_MAX_STEPS):
            if not isinstance(node, ast.Name):
                break
            value = self._names.sole_value(node)
            if value is None:
                break
            node = value
        return node

    def _evaluate(self, node: ast.expr, steps: int) -> str | int | float | None:
        self._budget -= 1
        if steps == 0 or self._budget < 0:
            return None
        if isinstance(node, ast.Name):
            origin = self._origin(node)
            return None if origin is node else self._evaluate(origin, steps - 1)
        if isinstance(node, ast.Constant):
            if isinstance(node.value, int) and node.value.bit_length() > 64:
                return None  # Python refuses to print very long integers
            return node.value if isinstance(node.value, str | int | float) else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._sum(node, steps)
        if isinstance(node, ast.JoinedStr):
            return self._join("", [self._piece(part, steps) for part in node.values])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self._method(node, node.func, steps)
        return None

    def _piece(self, part: ast.expr, steps: int) -> str | int | float | None:
        if isinstance(part, ast.FormattedValue):
            if part.format_spec is not None or part.conversion not in (-1, ord("s")):
                return None
            return self._evaluate(part.value, steps - 1)
        return self._evaluate(part, steps - 1)

    def _sum(self, node: ast.BinOp, steps: int) -> str | None:
        # `a + b + c` leans to the left: walk it in a loop, so that its length costs no recursion.
        terms: list[ast.expr] = [node.right]
        left: ast.expr = node.left
        while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
            terms.append(left.right)
            left = left.left
        values = [self._evaluate(term, steps - 1) for term in (left, *reversed(terms))]
        return self._join("", values) if all(isinstance(value, str) for value in values) else None

    def _method(self, call: ast.Call, method: ast.Attribute, steps: int) -> str | None:
        if call.keywords:
            return None
        if self._names.paths(method) == {"textwrap.dedent"} and len(call.args) == 1:
            import textwrap

            text = self._evaluate(call.args[0], steps - 1)
            return textwrap.dedent(text) if isinstance(text, str) else None
        base = self._evaluate(method.value, steps - 1)
        if not isinstance(base, str):
            return None
        if method.attr == "strip" and not call.args:
            return base.strip()
        if method.attr == "join" and len(call.args) == 1:
            parts = self.elements(call.args[0])
            return None if parts is None else self._join(base, [self._evaluate(p, steps - 1) for p in parts])
        if method.attr == "replace" and len(call.args) == 2:
            old, new = (self._evaluate(argument, steps - 1) for argument in call.args)
            if isinstance(old, str) and isinstance(new, str) and old:
                grown = len(base) + base.count(old) * len(new)
                return base.replace(old, new) if grown <= MAX_TEXT else None
        return None

    def _join(self, separator: str, parts: list[str | int | float | None]) -> str | None:
        pieces = [str(part) for part in parts if part is not None]
        if len(pieces) != len(parts):
            return None
        size = sum(map(len, pieces)) + len(separator) * len(pieces)
        return separator.join(pieces) if size <= MAX_TEXT else None
