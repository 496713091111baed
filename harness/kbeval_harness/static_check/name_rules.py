"""Rules KB401 to KB411: which names, builtins and attributes may be read."""

from __future__ import annotations

import ast
import re

from kbeval_harness.static_check.names import Names, literal_member
from kbeval_harness.static_check.own_classes import OwnClasses
from kbeval_harness.static_check.policy import (
    FORBIDDEN_BUILTINS,
    MEMBER_BUILTINS,
    MODULE_ATTRIBUTES,
    MODULE_INTERNALS,
    REFLECTIVE_ATTRIBUTES,
    refused_part,
)
from kbeval_harness.static_check.report import Report, excerpt, place_of
from kbeval_harness.static_check.tree import Tree

_FORMAT_REACH = re.compile(r"\{[^{}]*[.\[]")


def is_dunder(name: str) -> bool:
    """Whether `name` has the form `__x__`."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


class NameRules:
    """Checks every name and attribute of a tree."""

    def __init__(self, tree: Tree, names: Names, classes: OwnClasses, report: Report) -> None:
        self._tree = tree
        self._names = names
        self._classes = classes
        self._report = report

    def check(self) -> None:
        """Reports every name that is not allowed."""
        for node in self._tree.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._check_name(node)
            elif isinstance(node, ast.Attribute):
                self._check_attribute(node)
            elif isinstance(node, ast.MatchClass):
                for name in node.kwd_attrs:
                    self._check_member(name, node, own=False)

    def _check_name(self, node: ast.Name) -> None:
        if self._names.is_module(node):
            self._check_module_use(node)
        if not self._names.is_builtin(node):
            return
        if node.id in FORBIDDEN_BUILTINS or (is_dunder(node.id) and node.id != "__name__"):
            self._report.add("builtin-not-allowed", f"'{node.id}' is not allowed", place_of(node))
        elif node.id in MEMBER_BUILTINS:
            self._check_getattr(node)
        elif node.id == "super":
            self._check_super(node)
        elif node.id == "type":
            self._check_type(node)

    def _check_module_use(self, node: ast.expr) -> None:
        """A module may be the base of an attribute, or the whole value of a simple assignment to a name."""
        parent = self._tree.parent(node)
        if isinstance(parent, ast.Attribute):
            return
        if isinstance(parent, ast.Assign) and not self._tree.scope(node).is_class:
            # In a class body the alias would be reachable as an attribute of anything.
            if all(isinstance(target, ast.Name) for target in parent.targets):
                return
        elif isinstance(parent, ast.Call) and parent.args[:1] == [node] and _is_member_call(parent):
            return
        shown = ", ".join(sorted(self._names.paths(node)))
        self._report.add("module-as-value", f"module '{excerpt(shown)}' is used as a value", place_of(node))

    def _check_getattr(self, node: ast.Name) -> None:
        call = self._tree.parent(node)
        if not isinstance(call, ast.Call) or call.func is not node:
            self._report.add(
                "getattr-form", f"'{node.id}' may only be called, not stored or passed", place_of(node)
            )
            return
        name = literal_member(call)
        if name is None or name.startswith("_") or any(isinstance(a, ast.Starred) for a in call.args):
            self._report.add(
                "getattr-form", f"{node.id} needs a literal, non-private attribute name", place_of(call)
            )
            return
        self._check_member(name, call, own=False)
        for path in sorted(self._names.paths(call.args[0])):
            self._check_path(f"{path}.{name}", call)
        if self._names.is_module(call):
            self._check_module_use(call)

    def _check_super(self, node: ast.Name) -> None:
        call = self._tree.parent(node)
        if (
            isinstance(call, ast.Call)
            and call.func is node
            and isinstance(self._tree.parent(call), ast.Attribute)
        ):
            return
        self._report.add("super-form", "super() may only be used to reach a method", place_of(node))

    def _check_type(self, node: ast.Name) -> None:
        call = self._tree.parent(node)
        if isinstance(call, ast.Call) and call.func is node and len(call.args) == 1 and not call.keywords:
            user = self._tree.parent(call)
            if not isinstance(call.args[0], ast.Starred) and isinstance(user, ast.Compare):
                return
        elif isinstance(call, ast.Subscript | ast.arg | ast.BinOp | ast.AnnAssign):
            return  # an annotation
        self._report.add(
            "type-form", "type may only be called with one argument in a comparison", place_of(node)
        )

    def _check_attribute(self, node: ast.Attribute) -> None:
        self._check_member(node.attr, node, own=self._is_own_private(node))
        for path in sorted(self._names.paths(node)):
            self._check_path(path, node)
        if self._names.is_module(node):
            self._check_module_use(node)
        if node.attr in ("format", "format_map"):
            self._check_format(node)
        if isinstance(node.value, ast.Name) and self._classes.is_unbound_method(node.value, node.attr):
            message = f"'{excerpt(node.value.id)}.{excerpt(node.attr)}' reaches a method without an instance"
            self._report.add("unbound-method", message, place_of(node))

    def _check_path(self, path: str, node: ast.AST) -> None:
        # Only where the refused part is the whole path: an outer attribute would repeat the report.
        if refused_part(path) == path:
            self._report.add("name-not-allowed", f"'{excerpt(path)}' is not allowed", place_of(node))

    def _check_member(self, name: str, node: ast.AST, *, own: bool) -> None:
        shown = excerpt(name)
        if name in REFLECTIVE_ATTRIBUTES or (name in MODULE_ATTRIBUTES and self._is_unresolved(node)):
            self._report.add("reflective-attribute", f"attribute '{shown}' is not allowed", place_of(node))
        elif is_dunder(name):
            if not (name == "__init__" and isinstance(node, ast.Attribute) and self._is_base_init(node)):
                message = f"double-underscore attribute '{shown}' is not allowed"
                self._report.add("dunder-attribute", message, place_of(node))
        elif name.startswith("_") and name != "_" and (not own or name in MODULE_INTERNALS):
            message = f"private attribute '{shown}' is not allowed (only the class's own)"
            self._report.add("private-attribute", message, place_of(node))

    def _is_unresolved(self, node: ast.AST) -> bool:
        """Whether the namespaces have no say about `node`."""
        return not isinstance(node, ast.expr) or all(p.startswith("own:") for p in self._names.paths(node))

    def _is_base_init(self, node: ast.Attribute) -> bool:
        """`super().__init__`, `nn.Module.__init__` and `OwnBase.__init__`, called on the spot."""
        call = self._tree.parent(node)
        if not (isinstance(call, ast.Call) and call.func is node):
            return False
        base = node.value
        if isinstance(base, ast.Call):
            return isinstance(base.func, ast.Name) and base.func.id == "super"
        return any(path.startswith(("torch.nn.", "own:")) for path in self._names.paths(base))

    def _is_own_private(self, node: ast.Attribute) -> bool:
        """`self._x`, `cls._x` or `Own._x` where a class of the source defines or assigns `_x`."""
        if not isinstance(node.value, ast.Name):
            return False
        if node.value.id in ("self", "cls", "ctx"):
            return node.attr in self._classes.private_members
        return any(path.startswith("own:") for path in self._names.paths(node.value)) and (
            node.attr in self._classes.private_members
        )

    def _check_format(self, node: ast.Attribute) -> None:
        call = self._tree.parent(node)
        called = isinstance(call, ast.Call) and call.func is node
        literal = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if called and literal and node.attr == "format":
            assert isinstance(node.value, ast.Constant)
            if not _FORMAT_REACH.search(str(node.value.value)):
                return
        message = "str.format may only be called on a literal whose fields hold no '.' or '['"
        self._report.add("format-attribute", message, place_of(node))


def _is_member_call(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in MEMBER_BUILTINS
