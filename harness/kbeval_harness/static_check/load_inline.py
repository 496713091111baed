"""Rules KB701 to KB705: how an extension is built; and the native sources that the program holds."""

from __future__ import annotations

import ast
import re
import sys
from typing import TypeGuard

from kbeval_harness.static_check.cxx_text import read_cxx
from kbeval_harness.static_check.literal import Literals, Text
from kbeval_harness.static_check.names import Names
from kbeval_harness.static_check.native_kernels import exported_functions, global_functions
from kbeval_harness.static_check.native_policy import refused_flags
from kbeval_harness.static_check.native_rules import check_native
from kbeval_harness.static_check.report import Kernel, Report, excerpt, place_of
from kbeval_harness.static_check.tree import Tree

LOAD_INLINE = "torch.utils.cpp_extension.load_inline"

_POSITIONAL = ("name", "cpp_sources", "cuda_sources")
_SOURCES = ("cpp_sources", "cuda_sources")
_FLAGS = ("extra_cflags", "extra_cuda_cflags", "extra_ldflags")
_SWITCHES = ("verbose", "with_cuda", "with_pytorch_error_handling")
_ALLOWED = frozenset({*_POSITIONAL, *_FLAGS, *_SWITCHES, "functions"})

_EXTENSION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_TAKEN_NAMES = sys.stdlib_module_names | {
    "torch",
    "triton",
    "numpy",
    "kbeval",
    "functorch",
    "torchgen",
    "main",
}
_SPLICE = re.compile(r"\\[ \t]*\n")
_NATIVE_MARK = re.compile(r"__global__|#\s*include|PYBIND11_MODULE|TORCH_LIBRARY|torch::Tensor|at::Tensor")


class NativeSources:
    """Checks every load_inline call and every native source, and collects the native kernels."""

    def __init__(self, tree: Tree, names: Names, device: str, report: Report) -> None:
        self._tree = tree
        self._names = names
        self._literals = Literals(names)
        self._device = device
        self._report = report
        self._seen: set[str] = set()

    def check(self) -> None:
        """Reports what is not allowed in builds and native sources."""
        for node in self._tree.nodes:
            if isinstance(node, ast.Constant):
                self._check_constant(node)
            elif self._is_load_inline(node):
                self._check_use(node)

    def _check_constant(self, node: ast.Constant) -> None:
        is_docstring = isinstance(self._tree.parent(node), ast.Expr)
        if (
            isinstance(node.value, str)
            and not is_docstring
            and _NATIVE_MARK.search(_SPLICE.sub("", node.value))
        ):
            self._read(Text(node.value, node))

    def _is_load_inline(self, node: ast.AST) -> TypeGuard[ast.expr]:
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        return isinstance(node.ctx, ast.Load) and self._names.means(node, LOAD_INLINE)

    def _check_use(self, node: ast.expr) -> None:
        self._report.uses_load_inline = True
        call = self._tree.parent(node)
        if isinstance(call, ast.Call) and call.func is node:
            self._check_call(call)
        else:
            message = "load_inline may only be called, not stored or passed"
            self._report.add("load-inline-form", message, place_of(node))

    def _check_call(self, call: ast.Call) -> None:
        arguments: dict[str, ast.expr] = {}
        plain = len(call.args) <= len(_POSITIONAL) and not any(isinstance(a, ast.Starred) for a in call.args)
        if not plain or any(keyword.arg is None for keyword in call.keywords):
            message = "load_inline takes plain keyword arguments; at most name and sources by position"
            self._report.add("load-inline-form", message, place_of(call))
        arguments.update(zip(_POSITIONAL, call.args, strict=False))
        for keyword in call.keywords:
            if keyword.arg is not None and keyword.arg not in _ALLOWED:
                message = f"argument '{excerpt(keyword.arg)}' of load_inline is not allowed"
                self._report.add("load-inline-argument", message, place_of(keyword))
            elif keyword.arg is not None:
                arguments[keyword.arg] = keyword.value
        for name, value in arguments.items():
            if name in _SOURCES:
                self._check_sources(name, value)
            elif name in _FLAGS:
                self._check_flags(name, value)
            elif name == "name":
                self._check_name(value)
            elif name == "functions":
                self._check_functions(value)

    def _check_sources(self, name: str, value: ast.expr) -> None:
        if _is_none(value):
            return
        elements = self._literals.elements(value)
        for element in [value] if elements is None else elements:
            text = self._literals.text(element)
            if text is None:
                message = f"{name} must be string literals, or names of them joined with '+' or ''.join"
                self._report.add("native-source-unreadable", message, place_of(element))
            else:
                self._read(text)

    def _check_flags(self, name: str, value: ast.expr) -> None:
        if _is_none(value):
            return
        elements = self._literals.elements(value)
        texts = [] if elements is None else [self._literals.text(element) for element in elements]
        if elements is None or any(text is None for text in texts):
            self._report.add("build-flag", f"{name} must be a list of string literals", place_of(value))
            return
        flags = [text.value for text in texts if text is not None]
        for index in refused_flags(flags):
            message = f"flag '{excerpt(flags[index])}' in {name} is not allowed"
            self._report.add("build-flag", message, place_of(elements[index]))

    def _check_name(self, value: ast.expr) -> None:
        text = self._literals.text(value)
        if text is None or not _EXTENSION_NAME.fullmatch(text.value):
            self._report.add(
                "extension-name", "the extension's name must be a literal identifier", place_of(value)
            )
        elif text.value in _TAKEN_NAMES or text.value.startswith(("kbeval", "_", "torch_")):
            message = f"extension name '{excerpt(text.value)}' is taken; choose another"
            self._report.add("extension-name", message, place_of(value))

    def _check_functions(self, value: ast.expr) -> None:
        if _is_none(value):
            return
        names = self._literals.elements(value)
        if names is None:
            names = self._literals.keys(value)
        for element in [value] if names is None else names:
            text = self._literals.text(element)
            if text is None or not _EXTENSION_NAME.fullmatch(text.value):
                message = "functions must be literal function names"
                self._report.add("load-inline-form", message, place_of(element))
            elif self._device == "cpu":
                self._report.add_kernel(Kernel(text.value, text.value, "cpp", place_of(element)))

    def _read(self, source: Text) -> None:
        if source.value in self._seen:
            return
        self._seen.add(source.value)
        text = read_cxx(source.value)
        check_native(source, text, self._report)
        for found in global_functions(text):
            kernel = Kernel(found.name, found.qualified, "cuda", source.place(found.offset))
            self._report.add_kernel(kernel)
        if self._device == "cpu":
            for found in exported_functions(text):
                self._report.add_kernel(
                    Kernel(found.name, found.qualified, "cpp", source.place(found.offset))
                )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
