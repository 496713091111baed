"""Admission trials of engine cards with a scripted agent on the CPU device."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from conftest import Kbeval

PROBLEMS = ["L1_019", "L1_020", "L1_021", "L1_022"]
CARDS = {
    "engine": "scripted",
    "cards": [
        {
            "id": "pass",
            "include": r"torch\.(relu|sigmoid|tanh)|leaky_relu",
            "text": "### One pass\nWRITE THE KERNEL",
        },
        {
            "id": "idle",
            "include": "nn.Module",
            "text": "### Idle\nNothing to see",
            "provenance": {"origin": "a test"},
        },
        {"id": "conv", "include": r"nn\.Conv", "text": "### Convolutions"},
    ],
}
# Writes a right kernel where the card told it to, and a wrong one elsewhere.
AGENT = '''
import json, sys
BODY = {"L1_019": "tl.maximum(x, 0.0)", "L1_020": "tl.where(x > 0, x, 0.01 * x)",
        "L1_021": "1.0 / (1.0 + tl.exp(-x))", "L1_022": "2.0 / (1.0 + tl.exp(-2.0 * x)) - 1.0"}
CODE = """
import torch
import triton
import triton.language as tl
from torch import nn

@triton.jit
def own_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, %s, mask=inside)

class ModelNew(nn.Module):
    def __init__(self, *args):
        super().__init__()

    def forward(self, x):
        out = torch.empty_like(x)
        own_kernel[(triton.cdiv(x.numel(), 32768),)](x, out, x.numel(), BLOCK=32768)
        return out
"""
for line in sys.stdin:
    request = json.loads(line)
    told = "WRITE THE KERNEL" in request["prompt"]
    code = CODE % (BODY[request["problem"]] if told else "x + 1.0")
    print(json.dumps({"reply": "ACTION: SUBMIT\\n```python" + code + "```"}), flush=True)
'''


@pytest.fixture
def agent(kbeval: Kbeval, tmp_path: Path) -> str:
    (tmp_path / "set.json").write_text(json.dumps(CARDS, indent=1) + "\n")
    (tmp_path / "agent.py").write_text(AGENT)
    assert kbeval("playbook", "import", tmp_path / "set.json").code == 0
    return f"exec:{sys.executable} {tmp_path / 'agent.py'}"


def test_a_card_that_helps_is_admitted_and_says_so(kbeval: Kbeval, agent: str, tmp_path: Path) -> None:
    given = (tmp_path / "set.json").read_text()
    assert kbeval("playbook", "export", "set").out == given
    command = ["cards", "trial", "set", "pass", "--base", "bare", "--agent", agent, "--problems"]
    command += [
        ",".join([*PROBLEMS, "L1_001"]),
        "--device",
        "cpu",
        "--least-problems",
        "4",
        "--seeds",
        "2",
        "--tie",
        "0",
    ]
    done = kbeval(*command, "--json")
    assert done.code == 0, done.err
    trial = json.loads(done.out)
    assert trial["admitted"] and trial["recorded"]
    assert set(trial["gains"]) == set(PROBLEMS)
    assert all(gain > 0 for gain in trial["gains"].values())
    assert (trial["problems"], trial["wins"], trial["losses"]) == (4, 4, 0)
    assert trial["low"] > 0
    assert "left out" in done.err and "L1_001" in done.err
    # The same command again runs nothing and concludes the same.
    again = kbeval(*command, "--json")
    assert {**json.loads(again.out), "created": ""} == {**trial, "created": ""}
    exported = json.loads(kbeval("playbook", "export", "set").out)
    (written,) = exported["cards"][0]["provenance"]["trials"]
    assert written["admitted"] and written["base"] == "bare" and written["wins"] == 4
    exported["cards"][0].pop("provenance")
    assert exported == CARDS
    arms = json.loads(kbeval("compare", trial["experiment"], "--json").out)
    assert {arm["arm"] for arm in arms[0]["arms"]} == {"bare", "bare+card:set/pass"}


def test_a_card_that_does_nothing_is_not_admitted(kbeval: Kbeval, agent: str) -> None:
    done = kbeval(
        "cards", "trial", "set", "idle", "--base", "bare", "--agent", agent, "--problems", ",".join(PROBLEMS),
        "--device", "cpu", "--least-problems", "4", "--seeds", "1",
    )  # fmt: skip
    assert done.code == 1, done.err
    assert "not admitted; the mean gain is not surely above 0" in done.out
    provenance = json.loads(kbeval("playbook", "export", "set").out)["cards"][1]["provenance"]
    assert provenance["origin"] == "a test" and not provenance["trials"][0]["admitted"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["set", "nosuch", "--base", "bare"], "its cards are pass, idle, conv"),
        (["nosuch", "pass", "--base", "bare"], "nosuch"),
        (["set", "conv", "--base", "bare"], "is for none of the chosen problems"),
        (["set", "pass", "--base", "cards"], "holds every card already"),
        (["set", "pass", "--base", "nosuch"], "arms that are known"),
        (["set", "pass", "--base", "living"], "living store is empty"),
    ],
)
def test_mistakes(kbeval: Kbeval, agent: str, arguments: list[str], text: str) -> None:
    done = kbeval("cards", "trial", *arguments, "--agent", agent, "--problems", "L1_019", "--device", "cpu")
    assert done.code == 2, done.out + done.err
    assert text in done.err


def test_a_context_with_one_card(kbeval: Kbeval, agent: str) -> None:
    assert agent
    text = kbeval("context", "L1_019", "--arm", "bare+card:pass").out
    assert text.startswith("### One pass")
    assert kbeval("context", "L1_001", "--arm", "bare+card:set/pass").out.strip() == ""
