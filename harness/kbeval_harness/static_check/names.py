"""Resolving expressions to dotted paths through imports, assignments of names and literal getattr calls.

Aliases form a graph: a name takes over what another name means, with some attributes behind it. Meanings
are spread
along it until nothing changes, so that no order or cycle of assignments (`a = b; b = a; a = torch`) hides
one. Order
and control flow are left out of account: a name means everything that it is bound to anywhere in its scope.
"""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Iterator

from kbeval_harness.static_check.policy import NAMESPACES
from kbeval_harness.static_check.tree import Scope, Tree

_BUILTINS = frozenset(dir(builtins))

_MAX_MEANINGS = 200_000
"""Most steps of spreading; honest programs need a few hundred."""

_MAX_PARTS = 8
"""Longest path that is followed; the deepest namespace has five parts."""

_Slot = tuple[Scope, str]


class TooTangledError(Exception):
    """The aliases of the program have too many meanings to be followed."""


class Names:
    """Answers what an expression may refer to. Paths start with a module, `builtins.` or, for own names,
    `own:`.
    """

    def __init__(self, tree: Tree) -> None:
        """Resolves all names of `tree`. Raises TooTangledError."""
        self._tree = tree
        self._meanings: dict[_Slot, set[str]] = defaultdict(set)
        self._spread()

    def paths(self, node: ast.expr) -> frozenset[str]:
        """Every dotted path that `node` may mean; empty where it is an ordinary value."""
        root = _root(node)
        if root is None:
            return frozenset()
        name, tail = root
        found = {path for scope in self._scopes_of(name) for path in self._meanings.get((scope, name.id), ())}
        if self._may_be_builtin(name):
            found.add(f"builtins.{name.id}")
        return frozenset(path + tail for path in found)

    def means(self, node: ast.expr, path: str) -> bool:
        """Whether `node` may mean `path`."""
        return path in self.paths(node)

    def is_module(self, node: ast.expr) -> bool:
        """Whether `node` may be a module."""
        return any(path in NAMESPACES for path in self.paths(node))

    def is_builtin(self, node: ast.Name) -> bool:
        """Whether the name may mean the builtin of that name, perhaps through another name."""
        return f"builtins.{node.id}" in self.paths(node)

    def sole_value(self, node: ast.Name) -> ast.expr | None:
        """The expression that the name is bound to, where that is its only binding; None otherwise."""
        bindings = [b for scope in self._scopes_of(node) for b in scope.bindings[node.id][:2]]
        return bindings[0] if len(bindings) == 1 and isinstance(bindings[0], ast.expr) else None

    def _spread(self) -> None:
        edges: dict[_Slot, set[tuple[_Slot, str]]] = defaultdict(set)
        pending: list[tuple[_Slot, str]] = []
        for scope in self._tree.scopes:
            for name, values in scope.bindings.items():
                slot = (scope, name)
                for value in values:
                    if isinstance(value, str):
                        pending.append(
                            (slot, f"own:{name}" if value.startswith(("def:", "class:")) else value)
                        )
                    elif value is not None and (root := _root(value)) is not None:
                        source, tail = root
                        for outer in self._scopes_of(source):
                            edges[outer, source.id].add((slot, tail))
                        if self._may_be_builtin(source):
                            pending.append((slot, f"builtins.{source.id}{tail}"))
        steps = 0
        while pending:
            slot, path = pending.pop()
            if path in self._meanings[slot] or path.count(".") >= _MAX_PARTS:
                continue
            self._meanings[slot].add(path)
            for target, tail in edges[slot]:
                steps += 1
                if steps > _MAX_MEANINGS:
                    raise TooTangledError
                pending.append((target, path + tail))

    def _may_be_builtin(self, node: ast.Name) -> bool:
        """Whether the builtin may be meant: a class or module may not have bound the name yet, or not on
        this path.
        """
        if node.id not in _BUILTINS and not node.id.startswith("__"):
            return False
        return all(scope.is_class or scope.is_module for scope in self._scopes_of(node))

    def _scopes_of(self, node: ast.Name) -> Iterator[Scope]:
        """The scopes that may bind the name, innermost first; ends at the first that surely does."""
        start = current = self._tree.scope(node)
        while True:
            visible = current is start or not current.is_class
            if visible and node.id in current.bindings and node.id not in current.outer_names:
                yield current
                if not (current.is_class or current.is_module):
                    return  # a local that is not set yet is an error, it never falls through
            if current.parent is None:
                return
            current = current.parent


def _root(node: ast.expr) -> tuple[ast.Name, str] | None:
    """The name at the root of attributes and literal getattr calls, and the attributes as `.a.b`; None for
    others.
    """
    parts: list[str] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
            member = literal_member(node)
            if member is None:
                return None
            parts.append(member)
            node = node.args[0]
        else:
            return None
    return node, "".join(f".{part}" for part in reversed(parts))


def literal_member(call: ast.Call) -> str | None:
    """The literal attribute name of a getattr-like call, or None."""
    if len(call.args) >= 2 and isinstance(call.args[1], ast.Constant) and isinstance(call.args[1].value, str):
        return call.args[1].value
    return None
