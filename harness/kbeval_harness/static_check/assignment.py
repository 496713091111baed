"""Rules KB501 to KB504: attributes are set on the candidate's own instances only."""

from __future__ import annotations

import ast

from kbeval_harness.static_check.own_classes import OwnClasses
from kbeval_harness.static_check.policy import MODULE_INTERNALS
from kbeval_harness.static_check.report import Place, Report, excerpt, place_of
from kbeval_harness.static_check.tree import FunctionNode, Tree, arguments_of


def check_assignments(tree: Tree, classes: OwnClasses, report: Report) -> None:
    """Reports every assignment or deletion that reaches beyond self."""
    for node in tree.nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            _check_store(node, classes, report)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Del):
            report.add(
                "attribute-deletion", f"deletion of attribute '{_shown(node)}' is not allowed", place_of(node)
            )
        elif isinstance(node, ast.Name) and node.id == "self" and not isinstance(node.ctx, ast.Load):
            _report_self(report, place_of(node))
        elif isinstance(node, FunctionNode):
            arguments = arguments_of(node)
            for argument in arguments:
                if argument.arg == "self" and not (classes.is_method(node) and argument is arguments[0]):
                    _report_self(report, place_of(argument))
        elif (isinstance(node, ast.alias) and (node.asname or node.name) == "self") or (
            isinstance(node, ast.MatchAs | ast.MatchStar | ast.ExceptHandler) and node.name == "self"
        ):
            _report_self(report, place_of(node))


def _check_store(node: ast.Attribute, classes: OwnClasses, report: Report) -> None:
    name = node.value
    if not isinstance(name, ast.Name) or classes.instance_scope(name) is None:
        message = f"assignment to attribute '{_shown(node)}' is not allowed (only self.<x>)"
        report.add("attribute-assignment", message, place_of(node))
    elif node.attr in MODULE_INTERNALS:
        report.add("module-internal", f"'{node.attr}' of torch.nn.Module may not be replaced", place_of(node))


def _report_self(report: Report, place: Place) -> None:
    report.add("self-rebound", "self may only be the first parameter of a method", place)


def _shown(node: ast.Attribute) -> str:
    """`a.b.c` for chains of names, `(...).c` for the rest."""
    parts = [node.attr]
    base: ast.expr = node.value
    while isinstance(base, ast.Attribute):
        parts.append(base.attr)
        base = base.value
    parts.append(base.id if isinstance(base, ast.Name) else "(...)")
    return excerpt(".".join(reversed(parts)))
