"""The warning KB905: text in the source that speaks to whoever or whatever reviews it.

Only a sign for a reader: it changes no verdict of the static check, and wording that it doesn't know goes by.
"""

from __future__ import annotations

import re

from kbeval_harness.static_check.report import Place, Report

_READER = (
    r"(?:reviewers?|evaluators?|graders?|judges?|auditors?|examiners?|assistants?|llms?|ai|language models?)"
)
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:dear|attention|hello|hey|(?:note|message|instructions?) (?:to|for))(?:\s*[,:])?\s*"
        rf"(?:the |all |any )?{_READER}\b",
        r"\b(?:ignore|disregard|forget) (?:all |any )?(?:the |your |of )?(?:previous|prior|above|earlier) "
        r"(?:instructions?|prompts?|rules?|messages?)\b",
        r"\b(?:mark|report|score|rate|grade|accept|approve|classify) (?:this|it|the)\b[^.]{0,40}"
        r"\b(?:correct|passed|passing|valid|verified|successful|full marks)\b",
        r"\b(?:you must|you should|please)\b[^.]{0,40}"
        r"\b(?:full marks|skip (?:the |all )?(?:checks?|timing|tests?|verification))",
        r"\b(?:been|already) (?:verified|approved|certified|reviewed) by (?:the |our )?(?:maintainers?|"
        + _READER
        + ")",
    )
)
_JOINT = re.compile(r"\n[ \t]*(?:#+|//+|\*+)?[ \t]*")


def check_reader_text(text: str, report: Report) -> None:
    """Warns once, at the first place that addresses a reader; comment marks and line ends are read as spaces."""
    starts: list[int] = []
    joined: list[str] = []
    last = 0
    for joint in _JOINT.finditer(text):
        joined.append(text[last : joint.start()].rstrip(" \t") + " ")
        starts.append(len(joined[-1]) + (starts[-1] if starts else 0))
        last = joint.end()
    flat = "".join(joined) + text[last:]
    found = [m for m in (p.search(flat) for p in _PATTERNS) if m]
    if not found:
        return
    first = min(found, key=lambda m: m.start())
    line = 1
    for number, start in enumerate(starts):
        if start <= first.start():
            line = number + 2
    said = first.group(0)[:80]
    report.add("reader-addressed-text", f"'{said}' speaks to whoever reviews the source", Place(line, 1))
