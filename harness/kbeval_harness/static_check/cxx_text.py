"""Views of C++ source text in which comments, or comments and literals, are blanked; offsets stay the
same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z))"""
    r"""|(?P<raw>R"(?P<tag>[^()\\\s]{0,16})\(.*?(?:\)(?P=tag)"|\Z))"""
    r"""|(?P<string>"(?:\\.|[^"\\\n])*(?:"|(?=\n)|\Z))"""
    r"""|(?P<char>'(?:\\.|[^'\\\n]){1,8}')""",
    re.DOTALL,
)
_NOT_LINE_FEED = re.compile(r"[^\n]")
_SPLICE = re.compile(r"\\[ \t]*\n")


@dataclass(frozen=True, slots=True)
class CxxText:
    """One native source. `code` has comments and literals blanked, `uncommented` has comments blanked."""

    raw: str
    code: str
    uncommented: str

    @property
    def strings(self) -> str:
        """Only what stands in literals; the rest is blanked."""
        pairs = zip(self.uncommented, self.code, strict=True)
        return "".join(a if b == " " or a == "\n" else " " for a, b in pairs)


def read_cxx(text: str) -> CxxText:
    """Splits `text`, after joining lines that end in a backslash (both keep their length)."""
    # The compiler joins spliced lines before it sees comments: `sys\<newline>tem` is one word. Joining
    # moves text, so
    # the newline that was taken is given back after the joined line to keep line numbers nearly right.
    joined = _join_lines(text)
    code: list[str] = []
    uncommented: list[str] = []
    position = 0
    for match in _TOKEN.finditer(joined):
        gap = joined[position : match.start()]
        blank = _blank(match[0])
        code += (gap, blank)
        uncommented += (gap, blank if match.lastgroup == "comment" else match[0])
        position = match.end()
    code.append(joined[position:])
    uncommented.append(joined[position:])
    return CxxText(joined, "".join(code), "".join(uncommented))


def _join_lines(text: str) -> str:
    if not _SPLICE.search(text):
        return text
    pieces: list[str] = []
    owed = 0
    for line in text.split("\n"):
        stripped = line.rstrip(" \t")
        if stripped.endswith("\\"):
            pieces.append(stripped[:-1])
            owed += len(line) - len(stripped) + 2
        else:
            # Line feeds pad to the same length; there may be a few more of them than before.
            pieces.append(line + "\n" * (owed + 1) if owed else line + "\n")
            owed = 0
    return "".join(pieces)


def _blank(text: str) -> str:
    return _NOT_LINE_FEED.sub(" ", text)
