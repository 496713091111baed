"""Rules KB301 to KB303, and KB401 for names imported one by one."""

from __future__ import annotations

import ast

from kbeval_harness.static_check.policy import NAMESPACES, refused_part
from kbeval_harness.static_check.report import Place, Report, excerpt, place_of
from kbeval_harness.static_check.tree import Tree


def check_imports(tree: Tree, report: Report) -> None:
    """Reports every import that is not on the list."""
    for node in tree.nodes:
        if isinstance(node, ast.Import | ast.ImportFrom) and tree.scope(node).is_class:
            message = "an import in a class body makes the module an attribute; import at module level"
            report.add("module-as-value", message, place_of(node))
        if isinstance(node, ast.Import):
            for alias in node.names:
                _check_module(alias.name, place_of(alias), report)
                if alias.name.split(".")[0] == "triton":
                    report.uses_triton = True
        elif isinstance(node, ast.ImportFrom):
            _check_from(node, report)


def _check_module(name: str, place: Place, report: Report) -> None:
    if name in NAMESPACES and refused_part(name) is None:
        return
    report.add("import-not-allowed", f"import of '{excerpt(name)}' is not allowed", place)


def _check_from(node: ast.ImportFrom, report: Report) -> None:
    if node.level:
        report.add("relative-import", "relative imports are not allowed", place_of(node))
        return
    module = node.module or ""
    if module.split(".")[0] == "triton":
        report.uses_triton = True
    if module not in NAMESPACES or refused_part(module) is not None:
        report.add("import-not-allowed", f"import from '{excerpt(module)}' is not allowed", place_of(node))
        return
    for alias in node.names:
        if alias.name == "*":
            report.add(
                "star-import", f"'from {module} import *' is not allowed; name what is used", place_of(alias)
            )
        elif (refused := refused_part(f"{module}.{alias.name}")) is not None:
            report.add("name-not-allowed", f"'{excerpt(refused)}' is not allowed", place_of(alias))
