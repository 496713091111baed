"""From bytes to a syntax tree: the rules about the text itself, and parsing that no input can crash."""

from __future__ import annotations

import ast
import re
import warnings

from kbeval_harness.static_check.report import Place, Report, excerpt

MAX_SOURCE_BYTES = 1 << 20
_MAX_REPORTED_CHARACTERS = 200

_BOM = b"\xef\xbb\xbf"
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_CONTROL = re.compile(r"[\x01-\x08\x0b-\x0c\x0e-\x1f\x7f]|\r(?!\n)")
# The form that Python itself looks for, in the first two lines only.
_CODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_SAFE_CODINGS = frozenset({"utf-8", "utf8", "ascii", "us-ascii"})


def place_at(text: str, offset: int) -> Place:
    """The place of character `offset` of `text`; lines end at line feeds only."""
    start = text.rfind("\n", 0, offset) + 1
    return Place(text.count("\n", 0, offset) + 1, offset - start + 1)


def decode(data: bytes, report: Report) -> str | None:
    """The text of `data` with CRLF made LF, or None where it cannot be looked into.

    Non-ASCII characters are reported and replaced one for one, so that the rest can still be checked in
    one go.
    """
    report.source_bytes = len(data)
    if len(data) > MAX_SOURCE_BYTES:
        report.add(
            "source-too-large",
            f"the source has {len(data)} bytes; the limit is {MAX_SOURCE_BYTES}",
            Place(1, 1),
        )
        return None
    if data.startswith(_BOM):
        report.add(
            "byte-order-mark", "the source starts with a byte order mark; save it without one", Place(1, 1)
        )
        data = data[len(_BOM) :]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        head = data[: error.start].decode("utf-8")
        byte = data[error.start]
        report.add("not-utf8", f"byte 0x{byte:02x} is not valid UTF-8", place_at(head, len(head)))
        return None
    if (nul := text.find("\0")) >= 0:
        report.add("nul-byte", "the source holds a NUL byte", place_at(text, nul))
        return None
    _check_characters(text, report)
    text = _NON_ASCII.sub("x", text).replace("\r\n", "\n")
    _check_coding(text, report)
    return text


def _check_characters(text: str, report: Report) -> None:
    for count, match in enumerate(_NON_ASCII.finditer(text)):
        if count == _MAX_REPORTED_CHARACTERS:
            break
        message = (
            f"non-ASCII character U+{ord(match[0]):04X}; the whole source must be ASCII, comments included"
        )
        report.add("non-ascii", message, place_at(text, match.start()))
    for count, match in enumerate(_CONTROL.finditer(text)):
        if count == _MAX_REPORTED_CHARACTERS:
            break
        name = (
            "carriage return with no line feed"
            if match[0] == "\r"
            else f"control character 0x{ord(match[0]):02x}"
        )
        report.add("control-character", f"{name} in the source", place_at(text, match.start()))


def _check_coding(text: str, report: Report) -> None:
    for number, line in enumerate(text.split("\n", 2)[:2], start=1):
        match = _CODING.match(line)
        if match and match[1].lower().replace("_", "-") not in _SAFE_CODINGS:
            message = f"encoding declaration '{excerpt(match[1])}'; only ASCII and UTF-8 are accepted"
            report.add("encoding-declaration", message, Place(number, match.start(1) + 1))


def parse(text: str, report: Report) -> ast.Module | None:
    """The syntax tree of `text`, or None with the reason reported."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as invalid escapes: they must not reach standard error
            return ast.parse(text, filename="candidate")
    except SyntaxError as error:
        _report_syntax_error(text, error, report)
    except (RecursionError, MemoryError):
        # CPython's parser says MemoryError where its own stack is full.
        report.add("nesting-too-deep", "the source nests too deeply to be parsed", Place(1, 1))
    except (ValueError, OverflowError) as error:
        report.add("syntax-error", f"the source does not parse: {excerpt(str(error))}", Place(1, 1))
    return None


def _report_syntax_error(text: str, error: SyntaxError, report: Report) -> None:
    lines = text.count("\n") + 1
    place = Place(min(max(error.lineno or 1, 1), lines), max(error.offset or 1, 1))
    reason = error.msg or "invalid syntax"
    if "too many nested" in reason or "too many levels" in reason or "too complex" in reason:
        report.add("nesting-too-deep", excerpt(reason), place)
    else:
        report.add("syntax-error", f"syntax error: {excerpt(reason)}", place)
