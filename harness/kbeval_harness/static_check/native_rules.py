"""Rules KB801 to KB806 and the warning KB904: what a native source may say."""

from __future__ import annotations

import re

from kbeval_harness.static_check.cxx_text import CxxText
from kbeval_harness.static_check.literal import Text
from kbeval_harness.static_check.native_policy import (
    ALLOWED_PRAGMA,
    ASSEMBLY,
    CALL_ONLY_NAMES,
    FORBIDDEN_MEMBERS,
    FORBIDDEN_NAMES,
    LIBRARY_CALL,
    LOAD_TIME,
    is_allowed_header,
)
from kbeval_harness.static_check.report import Report, excerpt

_MAX_REPORTED = 100

_DIRECTIVE = re.compile(r"^[ \t]*(?:#|%:|\?\?=)[ \t]*([A-Za-z_]*)([^\n]*)", re.MULTILINE)
_INCLUDE = re.compile(r"[ \t]*(?:<([^<>\n]*)>|\"([^\"\n]*)\")[ \t]*")
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_OF_ANOTHER = re.compile(r"(?:\.|->|(?<!\bstd)(?<!\breturn)(?<=\w)\s*::)\s*$")
"""Before a word: it is a member, or stands in a namespace other than `std` and the global one."""

_CALL = re.compile(r"[ \t\n]*\(")
_PASTE_DIGRAPH = re.compile(r"%:|\?\?[=/'()!<>-]")
_PRAGMA_OPERATOR = re.compile(r"\b(?:_Pragma|__pragma)\s*\(\s*\"([^\"\n]*)\"")
_HAS_ASM = re.compile(r"\b_*asm_*\b")

_PLAIN_DIRECTIVES = frozenset(
    {
        "define",
        "undef",
        "if",
        "ifdef",
        "ifndef",
        "elif",
        "elifdef",
        "elifndef",
        "else",
        "endif",
        "error",
        "warning",
        "",
    }
)


def check_native(source: Text, text: CxxText, report: Report) -> None:
    """Reports what `text`, read from the Python string `source`, may not hold."""
    _check_directives(source, text, report)
    _check_words(source, text, report)
    for match in _found(LOAD_TIME, text.code):
        message = f"'{excerpt(match[0])}' makes code run on load or replaces symbols; it is not allowed"
        report.add("load-time-code", message, source.place(match.start()))
    for match in _found(_PASTE_DIGRAPH, text.code):
        message = f"digraph or trigraph '{match[0]}' is not allowed"
        report.add("preprocessor-trick", message, source.place(match.start()))
    if _HAS_ASM.search(text.code):
        for match in _found(ASSEMBLY, text.strings):
            message = (
                f"assembly '{excerpt(match[0])}' is not allowed; inline assembly may hold instructions only"
            )
            report.add("assembly-directive", message, source.place(match.start()))
    for match in _found(LIBRARY_CALL, text.code):
        call = excerpt(match[0].rstrip("( \t\n"))
        message = f"native code calls '{call}'; a library's kernels do not count as the candidate's own"
        report.add("native-library-call", message, source.place(match.start()))


def _check_directives(source: Text, text: CxxText, report: Report) -> None:
    for match in _found(_DIRECTIVE, text.uncommented):
        name, rest = match[1], match[2]
        place = source.place(match.start())
        if name == "include":
            include = _INCLUDE.fullmatch(rest)
            header = (include[1] if include[1] is not None else include[2]) if include else None
            if header is None:
                report.add("include-not-allowed", "an include must name its header literally", place)
            elif not is_allowed_header(header):
                report.add("include-not-allowed", f"include of '{excerpt(header)}' is not allowed", place)
        elif name == "pragma":
            _check_pragma(rest.strip(), source, match.start(), report)
        elif name not in _PLAIN_DIRECTIVES:
            message = f"preprocessor directive '#{excerpt(name)}' is not allowed"
            report.add("preprocessor-trick", message, place)
        elif "__has_include" in rest or "__has_embed" in rest:
            report.add("preprocessor-trick", "looking for files of the machine is not allowed", place)
    for match in _found(_PRAGMA_OPERATOR, text.uncommented):
        _check_pragma(match[1].strip(), source, match.start(), report)


def _check_pragma(body: str, source: Text, offset: int, report: Report) -> None:
    if not ALLOWED_PRAGMA.match(body):
        report.add("pragma-not-allowed", f"'#pragma {excerpt(body)}' is not allowed", source.place(offset))


def _check_words(source: Text, text: CxxText, report: Report) -> None:
    reported = 0
    for match in _WORD.finditer(text.code):
        if match[0] not in FORBIDDEN_NAMES or reported == _MAX_REPORTED:
            continue
        if match[0] in CALL_ONLY_NAMES:
            before = text.code[max(match.start() - 64, 0) : match.start()]
            if not _CALL.match(text.code, match.end()) or _OF_ANOTHER.search(before):
                continue
        reported += 1
        report.add(
            "native-name-not-allowed",
            f"'{match[0]}' is not allowed in native code",
            source.place(match.start()),
        )
    for match in _found(FORBIDDEN_MEMBERS, text.code):
        message = f"'{excerpt(match[0])}' is not allowed in native code"
        report.add("native-name-not-allowed", message, source.place(match.start()))


def _found(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """The first matches, as many as are worth reporting; unlimited for directives, whose order decides."""
    found: list[re.Match[str]] = []
    for match in pattern.finditer(text):
        found.append(match)
        if len(found) == _MAX_REPORTED and pattern is not _DIRECTIVE:
            break
    return found
