"""Experiments of scripted agents on the CPU device: whatever kills them, they end with the same table."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import BINARY, ROOT, Kbeval

CATALOGUE = json.loads((ROOT / "problems" / "catalog.json").read_text())
FAILING = ROOT / "examples" / "failing"
GELU = (ROOT / "examples" / "L1_088_gelu_triton.py").read_text()
INCORRECT = (FAILING / "incorrect.py").read_text()
ARMS = ("bare", "short", "long")
KILLS = 6

AGENT = """
import hashlib, json, sys
for line in sys.stdin:
    r = json.loads(line)
    kind = hashlib.sha256((r["problem"] + r["arm"]).encode()).digest()[0] % 3
    code = ["import os\\n", None, "import sys\\n"][kind]
    action = "SUBMIT" if r["turn"] == 2 or kind == 0 else "CHECK"
    block = "" if code is None else "```python\\n" + code + "```"
    print(json.dumps({"reply": "ACTION: " + action + "\\n" + block, "input_tokens": len(r["prompt"])}), flush=True)
"""


def problem_ids() -> list[str]:
    entries = CATALOGUE["problems"] if isinstance(CATALOGUE, dict) else CATALOGUE
    ids = [str(entry["id"]) for entry in entries]
    return ["L1_088", *[id_ for id_ in ids if id_ != "L1_088"][:19]]


def replies(ids: list[str]) -> Iterator[dict[str, object]]:
    """One agent submits at once what is forbidden; at L1_088 it checks what is right and submits what is not."""
    yield {
        "problem": "L1_088",
        "arm": "short",
        "turn": 1,
        "reply": f"ACTION: CHECK\n```python\n{GELU}```",
        "output_tokens": 7,
    }
    yield {
        "problem": "L1_088",
        "arm": "short",
        "turn": 2,
        "reply": f"ACTION: SUBMIT\n```python\n{INCORRECT}```",
    }
    for id_ in ids:
        yield {
            "problem": id_,
            "turn": 1,
            "reply": "ACTION: SUBMIT\n```python\nimport os\n```",
            "output_tokens": 3,
        }


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    ids = problem_ids()
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "replies.jsonl").write_text("\n".join(json.dumps(r) for r in replies(ids)))
    (tmp_path / "short.md").write_text("Be brief.\n")
    (tmp_path / "long.md").write_text("Be thorough.\n" * 50)
    path = tmp_path / "plan.toml"
    path.write_text(
        f"""
name = "contexts"
seed = 5
turns = 2
arms = {json.dumps(ARMS)}
[contexts]
short = "short.md"
long = "long.md"
[problems.learn]
ids = {json.dumps(ids[:4])}
[problems.held_out]
ids = {json.dumps(ids[4:])}
[[readers]]
name = "scripted"
agent = "exec:{sys.executable} {tmp_path}/agent.py"
[[readers]]
name = "recorded"
agent = "replay:{tmp_path}/replies.jsonl"
"""
    )
    return path


def start(plan: Path, database: Path, tmp_path: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "KBEVAL_DB": str(database), "KBEVAL_CACHE": str(tmp_path / "cache")}
    return subprocess.Popen(
        [BINARY, "experiment", "run", plan, "--device", "cpu", "--json"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def test_killed_at_random_moments_it_ends_with_the_same_table(
    kbeval: Kbeval, plan: Path, tmp_path: Path
) -> None:
    quiet = tmp_path / "quiet" / "k.db"
    disturbed = tmp_path / "disturbed" / "k.db"
    undisturbed = start(plan, quiet, tmp_path)
    assert undisturbed.wait(timeout=280) == 0
    chance = random.Random(11)
    killed = 0
    for _ in range(KILLS):
        process = start(plan, disturbed, tmp_path)
        time.sleep(chance.uniform(0.3, 2.5))
        killed += process.poll() is None
        process.kill()
        process.wait()
    assert killed >= 3
    done = kbeval("experiment", "run", plan, "--device", "cpu", "--json", env={"KBEVAL_DB": str(disturbed)})
    assert done.code == 0, done.err
    assert done.json["finished"] == 120
    tables = [
        kbeval(
            "compare",
            "contexts",
            "--arms",
            "short,bare",
            "--by",
            "reader",
            "--json",
            env={"KBEVAL_DB": str(db)},
        )
        for db in (quiet, disturbed)
    ]
    assert tables[0].code == 0, tables[0].err
    assert tables[0].out == tables[1].out
    everything = tables[0].json[0]
    assert [arm["episodes"] for arm in everything["arms"]] == [40, 40]
    assert {"forbidden", "incorrect", "unsubmitted"} <= set(everything["arms"][0]["statuses"])
    again = kbeval("experiment", "run", plan, "--device", "cpu", "--json", env={"KBEVAL_DB": str(quiet)})
    assert again.json["finished"] == 120


def test_budget_cancel_and_changed_plans(kbeval: Kbeval, plan: Path) -> None:
    text = plan.read_text()
    plan.write_text(text + "[budget]\ntokens = 1\n")
    stopped = kbeval("experiment", "run", plan, "--device", "cpu")
    assert stopped.code == 1, stopped.err
    assert "budget of 1 tokens is spent" in stopped.out
    assert "left" in stopped.err
    assert kbeval("experiment", "list", "--json").json[0]["finished"] < 120
    assert "bare" in kbeval("experiment", "status", "contexts").out
    assert kbeval("experiment", "cancel", "contexts").code == 0
    assert kbeval("experiment", "status", "contexts", "--json").json["state"] == "cancelled"
    plan.write_text(text.replace("turns = 2", "turns = 3"))
    changed = kbeval("experiment", "run", plan, "--device", "cpu")
    assert changed.code == 2
    assert "another plan" in changed.err
    assert kbeval("compare", "contexts", "--arms", "short,none").code == 2
    assert "experiment list" in kbeval("compare", "nowhere").err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("turns = 2", "turns = 0", "'turns' is not a whole number"),
        ("turns = 2", "turnz = 2", "no key 'turnz'"),
        ("turns = 2", "turns = ", "plan.toml:4"),
        ('"short", ', '"short", "short", ', "holds one twice"),
        ('short = "short.md"', "", "context of arm 'short'"),
        ('short = "short.md"', 'short = "gone.md"', "gone.md"),
        ('ids = ["L1_088", ', 'ids = ["L9_999", ', "L9_999"),
        ("[problems.learn]\nids", "[problems.learn]\nlevels = [1, 2, 3]\nids", "held out"),
        ('name = "recorded"', 'name = "scripted"', "is there twice"),
        ("replay:", "unknown:", "no kind of agent"),
    ],
)
def test_bad_plans_are_refused(kbeval: Kbeval, plan: Path, old: str, new: str, said: str) -> None:
    text = plan.read_text()
    assert old in text
    plan.write_text(text.replace(old, new))
    refused = kbeval("experiment", "run", plan, "--device", "cpu")
    assert refused.code == 2, refused.err
    assert said in refused.err
