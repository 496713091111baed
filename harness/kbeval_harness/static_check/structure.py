"""Rules KB201 to KB209 and the warning KB902: what the program defines, and how."""

from __future__ import annotations

import ast

from kbeval_harness.static_check.name_rules import is_dunder
from kbeval_harness.static_check.names import Names
from kbeval_harness.static_check.policy import (
    ALLOWED_BASES,
    ALLOWED_DECORATORS,
    ALLOWED_DUNDER_DEFINITIONS,
    BASE_PREFIXES,
    MODULE_INTERNALS,
)
from kbeval_harness.static_check.report import Place, Report, excerpt, place_of
from kbeval_harness.static_check.tree import COMPREHENSIONS, Tree

_PROPERTY_PARTS = frozenset({"setter", "getter"})


class Structure:
    """Checks definitions and statements of a tree."""

    def __init__(self, tree: Tree, names: Names, report: Report) -> None:
        self._tree = tree
        self._names = names
        self._report = report

    def check(self) -> None:
        """Reports every structural rule that is broken."""
        self._check_model_new()
        for node in self._tree.nodes:
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                self._check_definition(node)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._check_bound_name(node.id, node)
            elif isinstance(node, ast.alias):
                self._check_bound_name(node.asname or node.name, node)
            elif isinstance(node, ast.Try | ast.TryStar):
                self._check_try(node)
            elif isinstance(node, ast.Global | ast.Nonlocal):
                names = excerpt(", ".join(node.names))
                word = "global" if isinstance(node, ast.Global) else "nonlocal"
                message = f"'{word} {names}': state kept from one call to the next must not decide a result"
                self._report.add("global-state", message, place_of(node))
            elif isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith) or (
                isinstance(node, COMPREHENSIONS) and any(g.is_async for g in node.generators)
            ):
                self._report.add("async-code", "asynchronous code is not allowed", place_of(node))

    def _check_model_new(self) -> None:
        body = self._tree.root.node
        assert isinstance(body, ast.Module)
        if not any(isinstance(node, ast.ClassDef) and node.name == "ModelNew" for node in body.body):
            self._report.add("model-new-missing", "no class ModelNew is defined at module level", Place(1, 1))
        elif len(self._tree.root.bindings.get("ModelNew", ())) > 1:
            places = [place_of(n) for n in self._tree.nodes if _binds(n, "ModelNew")]
            self._report.add("model-new-rebound", "ModelNew is bound more than once", max(places))

    def _check_definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self._check_bound_name(node.name, node)
        for decorator in node.decorator_list:
            self._check_decorator(decorator)
        if isinstance(node, ast.AsyncFunctionDef):
            self._report.add("async-code", "asynchronous code is not allowed", place_of(node))
        if isinstance(node, ast.ClassDef):
            self._check_class(node)

    def _check_bound_name(self, name: str, node: ast.AST) -> None:
        if name == "Model":
            message = "do not define Model (the reference); define ModelNew only"
            self._report.add("reference-model-defined", message, place_of(node))
        elif is_dunder(name) and name not in ALLOWED_DUNDER_DEFINITIONS and not isinstance(node, ast.alias):
            message = f"definition of '{excerpt(name)}' is not allowed"
            self._report.add("dunder-definition", message, place_of(node))

    def _check_class(self, node: ast.ClassDef) -> None:
        for keyword in node.keywords:
            message = f"class keyword '{excerpt(keyword.arg or '**')}' is not allowed"
            self._report.add("class-keyword", message, place_of(keyword))
        for name in sorted(MODULE_INTERNALS & self._tree.inner_scope(node).bindings.keys()):
            message = f"'{name}' of torch.nn.Module may not be overridden"
            self._report.add("module-internal", message, place_of(node))
        for base in node.bases:
            # Typing generics are subscripted: Generic[T].
            named = base.value if isinstance(base, ast.Subscript) else base
            paths = self._names.paths(named)
            fits = paths and all(
                p in ALLOWED_BASES or p == "typing.Generic" or p.startswith(BASE_PREFIXES) for p in paths
            )
            if not fits:
                shown = excerpt(", ".join(sorted(paths)) or "an expression")
                self._report.add(
                    "base-class-not-allowed", f"base class {shown} is not allowed", place_of(base)
                )

    def _check_decorator(self, node: ast.expr) -> None:
        target = node.func if isinstance(node, ast.Call) else node
        paths = self._names.paths(target)
        if paths and paths <= ALLOWED_DECORATORS:
            return
        if (
            isinstance(target, ast.Attribute)
            and target.attr in _PROPERTY_PARTS
            and all(path.startswith("own:") for path in self._names.paths(target.value))
        ):
            return
        shown = excerpt(", ".join(sorted(p.removeprefix("own:") for p in paths)) or "an expression")
        self._report.add("decorator-not-allowed", f"decorator '{shown}' is not allowed", place_of(node))

    def _check_try(self, node: ast.Try | ast.TryStar) -> None:
        for handler in node.handlers:
            where = "in forward " if self._is_in_forward(node) else ""
            message = f"'except' {where}is not allowed: a kernel that fails must be seen to fail"
            self._report.add("exception-handler", message, place_of(handler))

    def _is_in_forward(self, node: ast.AST) -> bool:
        return any(isinstance(a, ast.FunctionDef) and a.name == "forward" for a in self._tree.ancestors(node))


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name == name
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.alias):
        return (node.asname or node.name) == name
    return isinstance(node, ast.MatchAs | ast.MatchStar | ast.ExceptHandler) and node.name == name
