"""The static check of one candidate, stage by stage."""

from __future__ import annotations

import ast

from kbeval_harness.static_check.assignment import check_assignments
from kbeval_harness.static_check.imports import check_imports
from kbeval_harness.static_check.kernels import check_kernels, collect_triton_kernels
from kbeval_harness.static_check.load_inline import NativeSources
from kbeval_harness.static_check.name_rules import NameRules
from kbeval_harness.static_check.names import Names, TooTangledError
from kbeval_harness.static_check.own_classes import OwnClasses
from kbeval_harness.static_check.reader_text import check_reader_text
from kbeval_harness.static_check.report import Place, Report, place_of
from kbeval_harness.static_check.source import decode, parse
from kbeval_harness.static_check.structure import Structure
from kbeval_harness.static_check.tree import MAX_DEPTH, MAX_NODES, TooDeepError, TooLargeError, Tree

DEVICES = ("cuda", "cpu")


def check_source(data: bytes, device: str = "cuda") -> Report:
    """Checks the candidate `data` for a device of DEVICES. Never raises for anything that `data` may hold."""
    report = Report()
    text = decode(data, report)
    if text is None:
        return report
    module = parse(text, report)
    tree = index(module, report) if module is not None else None
    names = resolve(tree, report) if tree is not None else None
    if tree is None or names is None:
        return report
    classes = OwnClasses(tree, names)
    check_imports(tree, report)
    Structure(tree, names, report).check()
    NameRules(tree, names, classes, report).check()
    check_assignments(tree, classes, report)
    NativeSources(tree, names, device, report).check()
    collect_triton_kernels(tree, names, report)
    check_kernels(text, device, report)
    check_reader_text(text, report)
    return report


def index(module: ast.Module, report: Report) -> Tree | None:
    """The index of `module`, or None where it is too deep or too large to be checked."""
    try:
        return Tree(module)
    except TooDeepError as error:
        report.add("nesting-too-deep", f"the source nests more than {MAX_DEPTH} deep", place_of(error.node))
    except TooLargeError:
        report.add("program-too-large", f"the program has more than {MAX_NODES} syntax nodes", Place(1, 1))
    return None


def resolve(tree: Tree, report: Report) -> Names | None:
    """What the names of `tree` stand for, or None where they are too tangled to be followed."""
    try:
        return Names(tree)
    except TooTangledError:
        report.add("aliases-too-tangled", "the program's aliases are too tangled to be followed", Place(1, 1))
        return None
