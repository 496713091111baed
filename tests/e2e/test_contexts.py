"""Contexts and playbooks through the real binary. Tests over the given documents are skipped where they are absent."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Kbeval

SEEDS = Path(os.environ.get("KBEVAL_SHARED", ROOT.parent / "shared")) / "seeds"
needs_seeds = pytest.mark.skipif(not SEEDS.exists(), reason="the given documents are not here")

PLAYBOOK = """ACE playbook: tips.

## strategies
[str-00001] helpful=3 harmful=0 :: Fuse the epilogue.
[str-00002] helpful=1 harmful=2 :: Never trust\ntwo lines.
"""
LIVING = """## Kernel memory (items verified by the protected evaluator on training problems; may not all apply)

### Lessons about this environment (from official checker verdicts and verified outcomes)
- Be exact.

### Pitfalls seen on earlier matmul problems (wrong results or slower than eager)
- Plain fp32 loses to cuBLAS.
- Keep tiles large.

### Verified recipes for matmul problems (speedups measured by the protected evaluator)
- [1.20x on Gemm_Add_ReLU] Fuse.

### A verified kernel for a related matmul problem (L2_076 Gemm_Add_ReLU, 1.20x): adapt what applies
```python
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return my_kernel(x, self.weight, self.bias, 128, 64, 32)
```"""
CARDS: dict[str, Any] = {
    "cards": [
        {
            "id": "C1",
            "include": r"nn\.Linear",
            "exclude": None,
            "exclude_families": [],
            "text": "### Technique C1",
            "demote": "loses to cuBLAS",
            "example": {"pid": "L2_076", "source": "x = 1", "speedup": 2.5},
        },
        {"id": "C2", "include": "nn\\.Conv", "text": "### Technique C2"},
    ]
}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def imported(kbeval: Kbeval, folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    result = kbeval("playbook", "import", folder / name)
    assert result.code == 0, result.err


@pytest.mark.parametrize(
    "command",
    [
        ["playbook"], ["playbook", "import"], ["playbook", "list"], ["playbook", "show"], ["playbook", "render"],
        ["playbook", "lint"], ["playbook", "diff"], ["playbook", "export"], ["playbook", "counts"],
        ["playbook", "cite"], ["playbook", "build"], ["playbook", "admit"], ["context"], ["context", "export"],
        ["prompt"], ["cards"], ["cards", "lint"], ["cards", "match"],
    ],
)  # fmt: skip
def test_help_has_an_example(kbeval: Kbeval, command: list[str]) -> None:
    result = kbeval(*command, "--help")
    assert result.code == 0
    assert "Example" in result.out


def test_a_playbook_is_imported_shown_and_rendered(kbeval: Kbeval, tmp_path: Path) -> None:
    imported(kbeval, tmp_path, "tips.md", PLAYBOOK)
    assert kbeval("playbook", "render", "tips").out == PLAYBOOK
    shown = kbeval("playbook", "show", "tips", "--sort", "harmful", "--json").json
    assert [bullet["id"] for bullet in shown] == ["str-00002", "str-00001"]
    assert kbeval("playbook", "show", "tips", "--bullet", "STR-00002").out.endswith("two lines.\n")
    assert "nearest" in kbeval("playbook", "show", "tips", "--bullet", "str-00009").err
    assert kbeval("playbook", "lint", "tips").code == 0
    again = kbeval("playbook", "import", tmp_path / "tips.md", "--json").json
    assert again[0]["unchanged"]


def test_our_own_documents_are_clean(kbeval: Kbeval) -> None:
    for name in ("h200.md", "cards.json"):
        assert kbeval("playbook", "lint", ROOT / "playbooks" / name).out == ""
    applied = kbeval("cards", "match", ROOT / "playbooks" / "cards.json", "--json").json
    assert "L2_076" in applied["K-split-gemm"]
    assert "L1_088" in applied["K-fuse-chain"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("\n", "\r\n"),
        ("ACE", "\ufeffACE"),
        ("epilogue.\n", "epilogue.  \t\n\n\n"),
        ("two lines.\n", "two lines."),
    ],
    ids=["as-is", "crlf", "bom", "trailing-space", "no-final-newline"],
)
def test_line_ends_and_spaces_lose_no_bullet_and_no_byte(
    kbeval: Kbeval, tmp_path: Path, before: str, after: str
) -> None:
    text = (PLAYBOOK.replace(before, after) if before else PLAYBOOK).encode()
    (tmp_path / "tips.md").write_bytes(text)
    said = kbeval("playbook", "import", tmp_path / "tips.md")
    assert said.code == 0, said.err
    assert hashlib.sha256(text).hexdigest()[:16] in said.out
    assert "2 bullets in 1 section" in said.out
    assert "renders identically" in said.out


def test_another_text_under_a_name_is_refused_unless_replaced(kbeval: Kbeval, tmp_path: Path) -> None:
    imported(kbeval, tmp_path, "tips.md", PLAYBOOK)
    (tmp_path / "tips.md").write_text(PLAYBOOK.replace("helpful=3", "helpful=4"))
    assert kbeval("playbook", "import", tmp_path / "tips.md").code == 2
    assert kbeval("playbook", "import", tmp_path / "tips.md", "--replace").code == 0


def test_diff_tells_what_changed(kbeval: Kbeval, tmp_path: Path) -> None:
    imported(kbeval, tmp_path, "a.md", PLAYBOOK)
    changed = PLAYBOOK.replace("helpful=3", "helpful=5").replace("two lines", "2 lines")
    imported(kbeval, tmp_path, "b.md", changed + "[str-00003] helpful=0 harmful=0 :: New.\n")
    result = kbeval("playbook", "diff", "a", "b", "--json")
    assert result.code == 1
    assert [(c["change"], c["id"]) for c in result.json] == [
        ("counts", "str-00001"),
        ("changed", "str-00002"),
        ("added", "str-00003"),
    ]
    assert kbeval("playbook", "diff", "a", "a").code == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a-1] helpful=-1 harmful=0 :: t", ":1:15: the helpful count is negative"),
        ("[a-1] helpful=99999999999999999999 harmful=0 :: t", "too large for 64 bits"),
        ('{"cards": [{"id": 1}]}', '"id" is missing or no string'),
        ('{"a": {"b": {"c": "x"}, "b": {}}}', "given twice"),
        ('{"a": ', ":1:7: the JSON document ends too early"),
        ("nothing known", "looks like none of the formats"),
    ],
)
def test_bad_documents_are_refused(kbeval: Kbeval, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad").write_text(text)
    result = kbeval("playbook", "import", tmp_path / "bad")
    assert result.code == 2
    assert message in result.err


def test_citations_count_once_and_export_changes_only_counts(kbeval: Kbeval, tmp_path: Path) -> None:
    imported(kbeval, tmp_path, "tips.md", PLAYBOOK)
    (tmp_path / "reply").write_text("Done.\n\nHelpful: [str-00001], [mem-77777]\nMisleading: str-00002\n")
    first = kbeval("playbook", "cite", "tips", tmp_path / "reply", "--json").json
    assert (first["counted"], first["known"], first["unknown"]) == (2, 0, 1)
    second = kbeval("playbook", "cite", "tips", tmp_path / "reply", "--json").json
    assert (second["counted"], second["known"]) == (0, 2)
    counts = kbeval("playbook", "counts", "tips", "--json").json
    assert [(b["helpful"], b["harmful"]) for b in counts["bullets"]] == [(4, 0), (1, 3)]
    assert counts["unknown"] == {"mem-77777": 1}
    expected = PLAYBOOK.replace("helpful=3", "helpful=4").replace("harmful=2", "harmful=3")
    assert kbeval("playbook", "export", "tips").out == expected


def test_cards_demote_and_never_show_the_problems_own_example(kbeval: Kbeval, tmp_path: Path) -> None:
    imported(kbeval, tmp_path, "living.md", LIVING)
    imported(kbeval, tmp_path, "cards.json", json.dumps(CARDS))
    other = kbeval("context", "L2_070", "--arm", "cards", "--json").json
    assert "### Technique C1" in other["text"]
    assert "Technique C2" not in other["text"]
    assert "x = 1" in other["text"]
    assert other["text"].index("Keep tiles large") < other["text"].index("loses to cuBLAS")
    assert other["digest"] == digest(other["text"])
    own = kbeval("context", "L2_076", "--arm", "cards", "--json").json
    assert "x = 1" not in own["text"]
    assert "Gemm_Add_ReLU" not in own["text"]
    assert "is of the problem itself" in kbeval("context", "L2_076", "--arm", "cards", "--explain").err


def test_the_leak_guard_refuses_and_records_what_was_allowed(
    kbeval: Kbeval, tmp_path: Path, database: Path
) -> None:
    imported(kbeval, tmp_path, "tips.md", PLAYBOOK.replace("Fuse the", "As on L2_76, fuse the"))
    refused = kbeval("context", "L2_076", "--arm", "ace")
    assert refused.code == 2
    assert "line 4: names the problem, L2_076" in refused.err
    assert kbeval("context", "L2_077", "--arm", "ace").code == 0
    allowed = kbeval("context", "L2_076", "--arm", "ace", "--allow-leak", "--json").json
    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT problem, digest FROM context_leak").fetchall() == [
            ("L2_076", allowed["digest"])
        ]


def test_code_like_the_problems_own_kernel_is_a_leak(kbeval: Kbeval, tmp_path: Path) -> None:
    imported(kbeval, tmp_path, "living.md", LIVING)
    kernel = LIVING.split("```python\n")[1].split("```", maxsplit=1)[0]
    imported(kbeval, tmp_path, "tips.md", PLAYBOOK + "```python\n# mine\n" + kernel + "```\n")
    result = kbeval("context", "L2_076", "--arm", "ace")
    assert result.code == 2
    assert "100 % like the problem's own solution from the living store" in result.err


def test_exported_contexts_import_again_and_change_nothing(kbeval: Kbeval, tmp_path: Path) -> None:
    imported(kbeval, tmp_path, "living.md", LIVING)
    imported(kbeval, tmp_path, "tips.md", PLAYBOOK)
    plan = {
        "problems": ["L2_070", "L1_019"], "readers": ["one", "two"], "arms": ["bare", "ace", "living"],
        "context_set": "set.json", "records_arm": "living", "problem_records": "records.json",
    }  # fmt: skip
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    assert kbeval("context", "export", tmp_path / "plan.json").code == 0
    written = {name: (tmp_path / name).read_bytes() for name in ("set.json", "records.json")}
    record = json.loads(written["records.json"])["L2_070"]
    assert list(record) == [
        "ctx", "same_for_readers", "ctx_chars", "ctx_sha", "names_self", "family", "level", "name", "instruction",
    ]  # fmt: skip
    assert record["ctx_sha"] == digest(record["ctx"]["one"])
    assert record["instruction"].startswith(
        "KernelBench level 2 problem L2_070 (Gemm_Sigmoid_Scaling_ResidualAdd)"
    )
    result = kbeval("playbook", "import", tmp_path / "set.json", tmp_path / "records.json", "--json").json
    assert [r["altered"] for r in result] == [0, 0]
    assert kbeval("context", "export", tmp_path / "plan.json").code == 0
    assert written == {name: (tmp_path / name).read_bytes() for name in written}


def test_altered_records_are_reported_and_restored(kbeval: Kbeval, tmp_path: Path) -> None:
    instruction = {
        "family": "matmul",
        "level": 2,
        "name": "Gemm_Sigmoid_Scaling_ResidualAdd",
        "instruction": "x",
    }
    record = {
        "ctx": {"r": re.sub(" +", " ", LIVING)}, "same_for_readers": True, "ctx_chars": len(LIVING),
        "ctx_sha": digest(LIVING), "names_self": False, **instruction,
    }  # fmt: skip
    (tmp_path / "records.json").write_text(json.dumps({"L2_070": record}))
    alone = kbeval("playbook", "import", tmp_path / "records.json", "--json").json[0]
    assert (alone["altered"], alone["restored"]) == (1, 0)
    (tmp_path / "living.md").write_text(LIVING)
    after = kbeval("playbook", "import", tmp_path / "living.md", "--json").json[0]
    assert after["restored"] == 1
    assert kbeval("context", "L2_070", "--arm", "living", "--reader", "r").out == LIVING


def test_a_prompt_holds_instruction_context_and_rules(kbeval: Kbeval, tmp_path: Path) -> None:
    imported(kbeval, tmp_path, "tips.md", PLAYBOOK)
    prompt = kbeval("prompt", "L2_077", "--arm", "ace", "--turns", "3").out
    places = [
        prompt.index(part) for part in ("KernelBench level 2", "class Model", "[str-00001]", "3 replies")
    ]
    assert places == sorted(places)
    for word in ("ACTION: CHECK", "ACTION: SUBMIT", "no_custom", "getattr"):
        assert (word in prompt) == (word != "no_custom")


@needs_seeds
def test_the_given_contexts_are_rebuilt_byte_for_byte(kbeval: Kbeval) -> None:
    result = kbeval(
        "playbook", "import", SEEDS / "contexts.json", SEEDS / "problem_contexts.json", "--json"
    ).json
    assert all(document["renders_identically"] for document in result)
    assert result[1]["restored"] >= 3
    given = json.loads((SEEDS / "contexts.json").read_text())
    for arm in ("living", "living:rC"):
        for reader, texts in given[arm].items():
            for problem, text in texts.items():
                built = kbeval("playbook", "build", problem, "--arm", arm, "--reader", reader)
                assert built.out == text, (arm, reader, problem)


@needs_seeds
def test_cards_apply_where_an_independent_reading_says(kbeval: Kbeval) -> None:
    applied = kbeval("cards", "match", SEEDS / "engine_cards.json", "--json").json
    problems = kbeval("problems", "list", "--json").json
    for card in json.loads((SEEDS / "engine_cards.json").read_text())["cards"]:
        expected = []
        for problem in problems:
            source = Path(problem["file"]).read_text()
            excluded = bool(card["exclude"]) and re.search(card["exclude"], source) is not None
            if (
                re.search(card["include"], source)
                and not excluded
                and problem["family"] not in card["exclude_families"]
            ):
                expected.append(problem["id"])
        assert applied[card["id"]] == expected
        assert expected


@needs_seeds
def test_a_large_playbook_is_imported_quickly(kbeval: Kbeval, tmp_path: Path) -> None:
    text = json.loads((SEEDS / "contexts.json").read_text())["ace"]["claude-opus-4-8"]["L2_020"]
    (tmp_path / "warm.md").write_text(PLAYBOOK)
    (tmp_path / "big.md").write_text(text)
    kbeval("playbook", "import", tmp_path / "warm.md")
    start = time.perf_counter()
    result = kbeval("playbook", "import", tmp_path / "big.md", "--json").json[0]
    assert time.perf_counter() - start < 1
    assert result["contents"] == "76 bullets in 1 section"
    assert kbeval("playbook", "render", "big").out == text
