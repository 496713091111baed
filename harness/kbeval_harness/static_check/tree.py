"""An index over a syntax tree: every node with its parent and scope, built without recursion.

The walk keeps its own stack, so that a tree as deep as the parser allows cannot exhaust Python's. Only
then is the
depth limited, so that the few recursive helpers (`ast.unparse` is not among them) are safe.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_DEPTH = 400
MAX_NODES = 250_000

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

# What a name is bound to: an expression, a dotted path of an import, "class:"/"def:" and a name, or None
# (unknown).
Binding = ast.expr | str | None


@dataclass(slots=True, eq=False)
class Scope:
    """A module, class, function or comprehension with the names that it binds."""

    node: ast.AST
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outer_names: set[str] = field(default_factory=set)  # declared global or nonlocal

    @property
    def is_class(self) -> bool:
        """Names of a class body are not seen by the functions in it."""
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_module(self) -> bool:
        """The outermost scope."""
        return self.parent is None

    @property
    def module(self) -> Scope:
        """The outermost scope, from any."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def bind(self, name: str, value: Binding) -> None:
        """Adds a binding; a name declared global or nonlocal is bound in every enclosing scope that could
        be meant.
        """
        scope: Scope | None = self
        if name not in self.outer_names:
            self.bindings.setdefault(name, []).append(value)
            return
        while scope is not None:
            if scope.is_module or name in scope.bindings:
                scope.bindings.setdefault(name, []).append(value)
            scope = scope.parent


class TooDeepError(Exception):
    """The tree nests deeper than MAX_DEPTH, at `node`."""

    def __init__(self, node: ast.AST) -> None:
        super().__init__()
        self.node = node


class TooLargeError(Exception):
    """The tree has more than MAX_NODES nodes."""


class Tree:
    """All nodes in source order of their start, each with parent and scope."""

    def __init__(self, module: ast.Module) -> None:
        """Indexes `module`. Raises TooDeepError or TooLargeError."""
        self.root = Scope(module, None)
        self.nodes: list[ast.AST] = []
        self._parents: dict[ast.AST, ast.AST] = {}
        self._scopes: dict[ast.AST, Scope] = {module: self.root}
        self._inner: dict[ast.AST, Scope] = {module: self.root}
        self._walk(module)
        self._collect_outer_names()
        self._bind_all()

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node that holds `node`; None for the module."""
        return self._parents.get(node)

    def scope(self, node: ast.AST) -> Scope:
        """The scope in which `node` is evaluated."""
        return self._scopes[node]

    def inner_scope(self, node: ast.AST) -> Scope:
        """The scope that a module, class, function or comprehension opens."""
        return self._inner[node]

    @property
    def scopes(self) -> list[Scope]:
        """All scopes, outermost first."""
        return list(self._inner.values())

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around `node`, innermost first."""
        current = self.parent(node)
        while current is not None:
            yield current
            current = self.parent(current)

    def _walk(self, module: ast.Module) -> None:
        stack: list[tuple[ast.AST, Scope, int]] = [(module, self.root, 0)]
        while stack:
            node, scope, depth = stack.pop()
            self.nodes.append(node)
            if depth > MAX_DEPTH:
                raise TooDeepError(node)
            if len(self.nodes) > MAX_NODES:
                raise TooLargeError
            children = [*self._children(node, scope)]
            for child, child_scope in reversed(children):
                if isinstance(child, ast.expr_context | ast.operator | ast.unaryop | ast.cmpop | ast.boolop):
                    continue  # singletons shared by the whole tree
                self._parents[child] = node
                self._scopes[child] = child_scope
                stack.append((child, child_scope, depth if _is_elif(child, node) else depth + 1))

    def _children(self, node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
        """The children of `node` with the scope in which Python evaluates each."""
        if isinstance(node, FunctionNode | ast.ClassDef):
            inner = self._inner[node] = Scope(node, scope)
            body = node.body if isinstance(node.body, list) else [node.body]
            within: set[ast.AST] = set(body)
            for child in ast.iter_child_nodes(node):
                yield child, inner if child in within else scope
        elif isinstance(node, COMPREHENSIONS):
            inner = self._inner[node] = Scope(node, scope)
            for child in ast.iter_child_nodes(node):
                yield child, inner
        elif isinstance(node, ast.comprehension):
            owner = self._parents[node]
            first = isinstance(owner, COMPREHENSIONS) and owner.generators[0] is node
            outer = scope.parent if first and scope.parent is not None else scope
            for child in ast.iter_child_nodes(node):
                yield child, outer if child is node.iter else scope
        else:
            for child in ast.iter_child_nodes(node):
                yield child, scope

    def _collect_outer_names(self) -> None:
        for node in self.nodes:
            if isinstance(node, ast.Global | ast.Nonlocal):
                self.scope(node).outer_names.update(node.names)

    def _bind_all(self) -> None:
        for node in self.nodes:
            scope = self.scope(node)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                scope.bind(node.name, f"def:{node.name}")
            elif isinstance(node, ast.ClassDef):
                scope.bind(node.name, f"class:{node.name}")
            if isinstance(node, FunctionNode):
                for argument in arguments_of(node):
                    self._inner[node].bind(argument.arg, None)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    scope.bind(alias.asname or alias.name.split(".")[0],
                               alias.name if alias.asname else alias.name.split(".")[0])  # fmt: skip
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    scope.bind(
                        alias.asname or alias.name, f"{'.' * node.level}{node.module or ''}.{alias.name}"
                    )
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self._bind_name(node, scope)
            elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
                scope.bind(node.name, None)
            elif isinstance(node, ast.MatchMapping) and node.rest:
                scope.bind(node.rest, None)

    def _bind_name(self, node: ast.Name, scope: Scope) -> None:
        parent = self.parent(node)
        value: Binding = None
        if isinstance(parent, ast.Assign):
            value = parent.value
        elif isinstance(parent, ast.AnnAssign) and parent.target is node:
            if parent.value is None and not isinstance(scope.node, FunctionNode):
                return  # `x: int` binds nothing outside functions
            value = parent.value
        elif isinstance(parent, ast.NamedExpr):
            value = parent.value
            while isinstance(scope.node, COMPREHENSIONS) and scope.parent is not None:
                scope = scope.parent
        scope.bind(node.id, value)


def arguments_of(node: FunctionNode) -> list[ast.arg]:
    """All parameters of a function, in order of declaration."""
    arguments = node.args
    extra = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]


def _is_elif(node: ast.AST, parent: ast.AST) -> bool:
    """Whether `node` is an `elif` of `parent`: deeper in the tree but not in the source."""
    return isinstance(node, ast.If) and isinstance(parent, ast.If) and parent.orelse == [node]
