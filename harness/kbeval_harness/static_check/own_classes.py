"""Facts about the classes that a candidate defines, used by several rules."""

from __future__ import annotations

import ast

from kbeval_harness.static_check.names import Names
from kbeval_harness.static_check.tree import FunctionNode, Scope, Tree, arguments_of

_AUTOGRAD_FUNCTIONS = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})


class OwnClasses:
    """The classes of a tree, their methods and private members."""

    def __init__(self, tree: Tree, names: Names) -> None:
        self._tree = tree
        self._names = names
        self.classes = [node for node in tree.nodes if isinstance(node, ast.ClassDef)]
        self._plain_methods: dict[str, set[str]] = {}
        self.private_members: set[str] = set()
        for node in self.classes:
            self._index(node)
        for other in tree.nodes:
            if (
                isinstance(other, ast.Attribute)
                and isinstance(other.ctx, ast.Store)
                and _is_instance(other.value)
            ):
                self.private_members.add(other.attr)

    def _index(self, node: ast.ClassDef) -> None:
        self.private_members |= {
            name for name in self._tree.inner_scope(node).bindings if name.startswith("_")
        }
        methods = self._plain_methods.setdefault(node.name, set())
        for item in node.body:
            if isinstance(item, ast.FunctionDef) and not self._has_decorator(
                item, ("staticmethod", "classmethod")
            ):
                methods.add(item.name)

    def _has_decorator(self, node: ast.FunctionDef, wanted: tuple[str, ...]) -> bool:
        return any(self._names.means(d, f"builtins.{name}") for d in node.decorator_list for name in wanted)

    def is_unbound_method(self, base: ast.Name, attribute: str) -> bool:
        """Whether `base.attribute` is a plain method of an own class, reached through the class."""
        if attribute == "__init__":
            return False
        owners = (p.removeprefix("own:") for p in self._names.paths(base) if p.startswith("own:"))
        return any(attribute in self._plain_methods.get(owner, ()) for owner in owners)

    def is_method(self, node: ast.AST) -> bool:
        """Whether `node` is a plain function directly in a class, whose first parameter is the instance."""
        return (
            isinstance(node, ast.FunctionDef)
            and isinstance(self._tree.parent(node), ast.ClassDef)
            and not self._has_decorator(node, ("staticmethod", "classmethod"))
        )

    def is_autograd_step(self, node: ast.AST) -> bool:
        """Whether `node` is a static method of an autograd function, whose first parameter is the context."""
        owner = self._tree.parent(node)
        return (
            isinstance(node, ast.FunctionDef)
            and isinstance(owner, ast.ClassDef)
            and self._has_decorator(node, ("staticmethod",))
            and any(self._names.paths(base) & _AUTOGRAD_FUNCTIONS for base in owner.bases)
        )

    def instance_scope(self, name: ast.Name) -> Scope | None:
        """The method scope whose first parameter `name` refers to, or None where it refers to anything
        else.
        """
        scope: Scope | None = self._tree.scope(name)
        while scope is not None:
            if name.id in scope.bindings:
                break
            scope = scope.parent
        if scope is None or not isinstance(scope.node, FunctionNode):
            return None
        arguments = arguments_of(scope.node)
        if not arguments or arguments[0].arg != name.id or len(scope.bindings[name.id]) != 1:
            return None
        if name.id == "self":
            return scope if self.is_method(scope.node) else None
        return scope if self.is_autograd_step(scope.node) else None


def _is_instance(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "ctx")
