"""Resolving expressions to dotted paths through imports, simple assignments and literal getattr calls."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from kbeval_harness.static_check.policy import NAMESPACES
from kbeval_harness.static_check.tree import Scope, Tree

_BUILTINS = frozenset(dir(builtins))

_MAX_STEPS = 64
"""Longest chain of aliases that is followed, which also ends cycles such as `a = b; b = a`."""

_MAX_PATHS = 16
"""Most paths that one expression is taken to mean."""


class Names:
    """Answers what an expression may refer to. Paths start with a module, `builtins.` or, for own names,
    `own:`.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._cache: dict[ast.expr, frozenset[str]] = {}
        self._bound: dict[tuple[Scope, str], frozenset[str]] = {}

    def paths(self, node: ast.expr) -> frozenset[str]:
        """Every dotted path that `node` may mean; empty where it is an ordinary value."""
        return self._resolve(node, _MAX_STEPS)

    def means(self, node: ast.expr, path: str) -> bool:
        """Whether `node` may mean `path`."""
        return path in self.paths(node)

    def is_module(self, node: ast.expr) -> bool:
        """Whether `node` may be a module."""
        return any(path in NAMESPACES for path in self.paths(node))

    def sole_value(self, node: ast.Name) -> ast.expr | None:
        """The expression that the name is bound to, where that is its only binding; None otherwise."""
        bindings = [b for scope in self._scopes_of(node) for b in scope.bindings[node.id][:2]]
        return bindings[0] if len(bindings) == 1 and isinstance(bindings[0], ast.expr) else None

    def is_builtin(self, node: ast.Name) -> bool:
        """Whether the name may mean the builtin of that name."""
        return f"builtins.{node.id}" in self.paths(node)

    def _resolve(self, node: ast.expr, steps: int) -> frozenset[str]:
        if steps == 0:
            return frozenset()
        if (known := self._cache.get(node)) is None:
            # Set first: a cycle of aliases then ends here, with what is known so far.
            self._cache[node] = frozenset()
            known = self._cache[node] = frozenset(sorted(self._compute(node, steps - 1))[:_MAX_PATHS])
        return known

    def _compute(self, node: ast.expr, steps: int) -> set[str]:
        if isinstance(node, ast.Name):
            return self._name_paths(node, steps)
        if isinstance(node, ast.NamedExpr):
            return set(self._resolve(node.value, steps))
        if isinstance(node, ast.IfExp):
            return set(self._resolve(node.body, steps) | self._resolve(node.orelse, steps))
        if isinstance(node, ast.Attribute):
            return self._members(node, steps)
        if isinstance(node, ast.Call):
            member = literal_member(node)
            if member is not None and self._is_getattr(node.func):
                return {f"{base}.{member}" for base in self._resolve(node.args[0], steps)}
        return set()

    def _members(self, node: ast.Attribute, steps: int) -> set[str]:
        # A chain of attributes is as deep as the tree: go down it in a loop.
        names = [node.attr]
        base: ast.expr = node.value
        while isinstance(base, ast.Attribute):
            names.append(base.attr)
            base = base.value
        tail = ".".join(reversed(names))
        return {f"{path}.{tail}" for path in self._resolve(base, steps)}

    def _is_getattr(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == "getattr" and self.is_builtin(node)

    def _name_paths(self, node: ast.Name, steps: int) -> set[str]:
        found: set[str] = set()
        falls_through = True
        for scope in self._scopes_of(node):
            found |= self._bound_paths(scope, node.id, steps)
            falls_through = scope.is_class or scope.is_module
        # A class or module may not have bound the name yet, or not on this path: then the builtin is meant.
        if falls_through and (node.id in _BUILTINS or node.id.startswith("__")):
            found.add(f"builtins.{node.id}")
        return found

    def _bound_paths(self, scope: Scope, name: str, steps: int) -> frozenset[str]:
        """What `scope` itself binds `name` to; kept, for a name may be bound and used many thousand times."""
        known = self._bound.get((scope, name))
        if known is None:
            self._bound[scope, name] = frozenset()
            found: set[str] = set()
            for value in scope.bindings[name]:
                if isinstance(value, str):
                    found.add(f"own:{name}" if value.startswith(("def:", "class:")) else value)
                elif value is not None:
                    found |= self._resolve(value, steps)
            known = self._bound[scope, name] = frozenset(found)
        return known

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


def literal_member(call: ast.Call) -> str | None:
    """The literal attribute name of a getattr-like call, or None."""
    if len(call.args) >= 2 and isinstance(call.args[1], ast.Constant) and isinstance(call.args[1].value, str):
        return call.args[1].value
    return None
