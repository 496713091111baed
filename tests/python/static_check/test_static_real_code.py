"""Real candidates, where a folder of them is at hand, must pass with no violation."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from static_check_support import check

SHARED = Path(os.environ.get("KBEVAL_SHARED", Path(__file__).resolve().parents[3].parent / "shared"))
CANDIDATES = sorted(SHARED.glob("candidates/*.py"))
CONTEXTS = [
    path for name in ("contexts", "engine_cards") if (path := SHARED / "seeds" / f"{name}.json").exists()
]


@pytest.mark.skipif(not CANDIDATES, reason="shared/candidates is absent")
@pytest.mark.parametrize("path", CANDIDATES, ids=lambda path: path.stem)
def test_candidates_pass(path: Path) -> None:
    report = check(path.read_bytes())
    assert (report["violations"], report["warnings"]) == ([], [])
    assert report["uses_triton"] and report["kernels"]


def strings(value: object) -> Iterator[str]:
    """All strings in a JSON document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


@pytest.mark.skipif(not CONTEXTS, reason="shared/seeds is absent")
@pytest.mark.parametrize("path", CONTEXTS, ids=lambda path: path.stem)
def test_kernels_in_contexts_pass_where_they_are_whole(path: Path) -> None:
    """Some blocks lost their indentation, so they do not parse; no block may break any other rule."""
    blocks = {
        block
        for text in strings(json.loads(path.read_text()))
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        if "class ModelNew" in block
    }
    assert blocks
    found = [{v["code"] for v in check(block)["violations"]} for block in blocks]
    assert all(codes <= {"KB107", "KB105"} for codes in found)
    assert sum(not codes for codes in found) >= len(found) / 3
