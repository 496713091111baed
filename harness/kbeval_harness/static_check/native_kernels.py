"""Finding the kernels that a native source defines: `__global__` functions and exported C++ functions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kbeval_harness.static_check.cxx_text import CxxText

_EVENT = re.compile(r"\bnamespace\b\s*([\w:]*)\s*(?=\{)|[{}]|\b[A-Za-z_]\w*\b")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\(?)([^\n]*)", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_WORD = re.compile(r"\s*((?:::\s*)?[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*)")
_PUNCTUATION = re.compile(r"\s*(\[\[.*?\]\]|[*&])", re.DOTALL)
_EXPORT = re.compile(r"""\.\s*def\s*\(\s*"(\w+)\"""")
_MAX_HEADER = 4000
_MAX_STEPS = 64
_MAX_MARKERS = 2000
# What may follow a function's parameter list; any other word after `name(...)` means that `name` was a macro.
_NOT_NAMES = frozenset({"void", "int", "float", "double", "bool", "auto", "template", "decltype"})
_AFTER_PARAMETERS = frozenset({"noexcept", "const", "requires", "__attribute__"})


@dataclass(frozen=True, slots=True)
class NativeKernel:
    """A kernel's bare and qualified name and its offset in the text."""

    name: str
    qualified: str
    offset: int


def global_functions(text: CxxText) -> list[NativeKernel]:
    """The `__global__` functions of `text`, declarations included, in order."""
    code = _DIRECTIVE.sub(lambda m: " " * len(m[0]), text.code)
    markers = {"__global__"} | {
        m[1] for m in _DEFINE.finditer(text.code) if not m[2] and "__global__" in m[3]
    }
    found: list[NativeKernel] = []
    spaces: list[str] = []  # one entry for each open brace; empty for braces that are no namespace
    opening: str | None = None
    seen = 0
    for event in _EVENT.finditer(code):
        word = event[0]
        if word == "{":
            spaces.append(opening or "")
            opening = None
        elif word == "}":
            if spaces:
                spaces.pop()
        elif event[1] is not None:
            opening = event[1]
        elif word in markers:
            seen += 1
            if seen > _MAX_MARKERS:
                break
            name = _function_name(code, event.end())
            if name is not None:
                path = [part for part in spaces if part] + [name]
                found.append(NativeKernel(name.rsplit("::", 1)[-1], "::".join(path), event.start()))
    return found


def exported_functions(text: CxxText) -> list[NativeKernel]:
    """The functions that a pybind module of `text` exports."""
    if "PYBIND11_MODULE" not in text.code:
        return []
    return [NativeKernel(m[1], m[1], m.start(1)) for m in _EXPORT.finditer(text.uncommented)]


def _function_name(code: str, position: int) -> str | None:
    """The name of the function whose declaration goes on at `position`: the last word before its
    parameters.
    """
    header = code[position : position + _MAX_HEADER]
    at = 0
    for _ in range(_MAX_STEPS):
        if match := _PUNCTUATION.match(header, at):
            at = match.end()
            continue
        match = _WORD.match(header, at)
        if match is None:
            return None
        word, at = re.sub(r"\s+", "", match[1]).lstrip(":"), match.end()
        at = _skip_space(header, at)
        if header.startswith("<", at):
            at = _skip_space(header, _closing(header, at))
        if not header.startswith("(", at):
            continue
        after = _closing(header, at)
        if after == len(header) + 1:
            return None
        following = _WORD.match(header, after)
        if word in _AFTER_PARAMETERS or (following and following[1] not in _AFTER_PARAMETERS):
            at = after
            continue
        return None if word in _NOT_NAMES else word
    return None


def _closing(text: str, start: int) -> int:
    """The offset behind the bracket that closes the one at `start`, or one past the end where none does.

    An angle bracket inside parentheses is a comparison.
    """
    opened: list[str] = []
    for at in range(start, len(text)):
        char = text[at]
        if char == "(" or (char == "<" and "(" not in opened):
            opened.append(char)
        elif (char == ")" and opened[-1] == "(") or (char == ">" and opened[-1] == "<"):
            opened.pop()
            if not opened:
                return at + 1
    return len(text) + 1


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
