"""Episodes of scripted agents through the real binary, on the CPU device."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

from conftest import ROOT, Kbeval

GELU = (ROOT / "examples" / "L1_088_gelu_triton.py").read_text()
FAILING = ROOT / "examples" / "failing"


def reply(action: str, code: str | None) -> str:
    block = "" if code is None else f"```python\n{code}```\n"
    return f"I try this.\n\nACTION: {action}\n{block}"


def recording(tmp_path: Path, *replies: str) -> str:
    path = tmp_path / "replies.jsonl"
    lines = [
        json.dumps({"turn": i + 1, "reply": text, "input_tokens": 100}) for i, text in enumerate(replies)
    ]
    path.write_text("\n".join(lines) + "\n")
    return f"replay:{path}"


def lines_of(out: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.splitlines()]


def test_checks_then_a_submit_end_an_episode(kbeval: Kbeval, tmp_path: Path, database: Path) -> None:
    agent = recording(
        tmp_path,
        "What shall I do?",
        reply("CHECK", None),
        reply("CHECK", (FAILING / "forbidden.py").read_text()),
        reply("CHECK", (FAILING / "incorrect.py").read_text()),
        reply("SUBMIT", GELU),
        reply("SUBMIT", "never asked for"),
    )
    done = kbeval("episode", "L1_088", "--agent", agent, "--device", "cpu", "--time-budget", "20", "--json")
    assert done.code in {0, 1}, done.err
    episode, *turns = lines_of(done.out)
    assert episode["state"] == "submitted"
    assert [t["status"] for t in turns] == ["no_action", "no_code", "forbidden", "incorrect", "correct"]
    assert [t["action"] for t in turns] == ["none", "CHECK", "CHECK", "CHECK", "SUBMIT"]
    assert "KB301" in str(turns[2]["feedback"])
    for part in ("max_abs_diff=", "max_rel_diff=", "worst at index ["):
        assert part in str(turns[3]["feedback"])
    for verdict, feedback in ((t["verdict"], str(t["feedback"])) for t in turns if t["verdict"]):
        assert isinstance(verdict, dict)
        assert "seed" not in feedback
        assert str(verdict["seed"]) not in feedback
        if verdict["status"] == "incorrect":
            assert "expected" not in feedback
            assert f"{verdict['agreement']['worst_expected']:.6g}" not in feedback
    with sqlite3.connect(database) as db:
        assert db.execute("SELECT state, turns, input_tokens FROM episodes").fetchall() == [
            ("submitted", 5, 500)
        ]
        kinds = db.execute(
            "SELECT v.kind FROM turns t JOIN verdicts v ON v.id = t.evaluation ORDER BY t.number"
        )
        assert [kind for (kind,) in kinds] == ["check", "check", "check", "run"]


def test_turns_run_out(kbeval: Kbeval, tmp_path: Path) -> None:
    agent = recording(tmp_path, reply("SUBMIT", None), reply("CHECK", (FAILING / "forbidden.py").read_text()))
    done = kbeval("episode", "L1_088", "--agent", agent, "--device", "cpu", "--turns", "2", "--json")
    assert done.code == 1, done.err
    episode, *turns = lines_of(done.out)
    assert episode["state"] == "unsubmitted"
    assert [t["status"] for t in turns] == ["no_code", "forbidden"]


def test_an_agent_that_fails_leaves_its_episode_to_be_resumed(kbeval: Kbeval, tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    request = json.loads(line)\n"
        "    if request['turn'] == 2 and len(sys.argv) < 2:\n"
        "        sys.exit('out of \\x1b[31mideas')\n"
        "    print(json.dumps({'reply': 'ACTION: CHECK\\n```python\\nimport os\\n```'}), flush=True)\n"
    )
    command = f"exec:{sys.executable} {agent}"
    failed = kbeval("episode", "L1_088", "--agent", command, "--device", "cpu", "--turns", "3", "--json")
    assert failed.code == 3
    assert "without an answer" in failed.err
    assert "ideas" in failed.err
    assert "\x1b" not in failed.err
    hint = failed.err.split("--resume ")[1].split()[0]
    done = kbeval("episode", "--resume", hint, "--agent", command + " again", "--device", "cpu", "--json")
    assert done.code == 1, done.err
    episode, *turns = lines_of(done.out)
    assert episode["state"] == "unsubmitted"
    assert [t["turn"] for t in turns] == [1, 2, 3]


def test_transcripts_travel_and_replay(kbeval: Kbeval, tmp_path: Path) -> None:
    agent = recording(tmp_path, reply("CHECK", "import os\n"), reply("SUBMIT", "import os\n"))
    assert kbeval("episode", "L1_088", "--agent", agent, "--device", "cpu").code == 1
    exported = tmp_path / "all.jsonl"
    assert kbeval("transcript", "export", "-o", exported).code == 0
    elsewhere = {"KBEVAL_DB": str(tmp_path / "other.db")}
    first = kbeval("transcript", "import", exported, env=elsewhere)
    assert "imported 1 episode " in first.out, first.err
    assert "were there already" in kbeval("transcript", "import", exported, env=elsewhere).out
    assert kbeval("transcript", "export", env=elsewhere).out == exported.read_text()
    again = kbeval("episode", "L1_088", "--agent", f"replay:{exported}", "--device", "cpu", "--json")
    assert [t["status"] for t in lines_of(again.out)[1:]] == ["forbidden", "forbidden"]
    broken = tmp_path / "broken.jsonl"
    broken.write_text("\n".join(exported.read_text().splitlines()[:-1]))
    refused = kbeval("transcript", "import", broken, env=elsewhere)
    assert refused.code == 2
    assert "broken.jsonl:2" in refused.err
    changed = tmp_path / "changed.jsonl"
    changed.write_text(
        exported.read_text().replace('"no_action"', '"x"').replace("I try this", "I tried that")
    )
    clash = kbeval("transcript", "import", changed, env=elsewhere)
    assert clash.code == 2
    assert "with other turns" in clash.err


def test_bad_usage_is_said_before_anything_starts(kbeval: Kbeval, tmp_path: Path) -> None:
    for arguments, part in (
        (["L1_088"], "--agent"),
        (["L1_088", "--agent", "nonsense"], "exec:COMMAND"),
        (["L1_088", "--agent", f"replay:{tmp_path}/none.jsonl"], "none.jsonl"),
        (["L1_088", "--agent", "openai:some-model"], "OPENAI_API_KEY"),
        (["L1_088", "--agent", "exec:true", "--arm", "nowhere"], "nowhere"),
    ):
        refused = kbeval("episode", *arguments, "--device", "cpu", env={"OPENAI_API_KEY": ""})
        assert refused.code == 2, arguments
        assert part in refused.err


def test_an_arm_comes_from_an_imported_playbook_and_its_citations_count_once(
    kbeval: Kbeval, tmp_path: Path, database: Path
) -> None:
    assert kbeval("playbook", "import", ROOT / "playbooks" / "h200.md", "--name", "h200").code == 0
    cited = "Helpful: [h200-00004]\nMisleading: [h200-00007], [zzz-99999]\n\n"
    agent = recording(
        tmp_path,
        cited + reply("CHECK", (FAILING / "forbidden.py").read_text()),
        cited + reply("SUBMIT", (FAILING / "forbidden.py").read_text()),
    )
    done = kbeval("episode", "L2_076", "--agent", agent, "--arm", "ace", "--device", "cpu", "--json")
    assert done.code == 1, done.err
    episode, *turns = lines_of(done.out)
    assert "[h200-00004]" in str(episode["prompt"])
    with sqlite3.connect(database) as db:
        counted = "SELECT bullet, event_helpful, event_harmful FROM bullet_counts WHERE playbook = 'h200'"
        assert {b: (up, down) for b, up, down in db.execute(counted) if up or down} == {
            "h200-00004": (2, 0),
            "h200-00007": (0, 2),
        }
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("DELETE FROM evaluation WHERE id = ?", (turns[0]["evaluation"],))
        assert db.execute(counted + " AND event_helpful > 0").fetchall() == [("h200-00004", 1, 0)]


def test_a_context_that_gives_the_solution_away_needs_leave(kbeval: Kbeval, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("- recipe for L1_088: fuse the whole chain in one kernel\n")
    agent = recording(tmp_path, reply("SUBMIT", (FAILING / "forbidden.py").read_text()))
    arguments = (
        "episode",
        "L1_088",
        "--agent",
        agent,
        "--arm",
        "notes",
        "--context",
        notes,
        "--device",
        "cpu",
    )
    refused = kbeval(*arguments)
    assert refused.code == 2
    assert "gives L1_088 its own solution away" in refused.err
    assert kbeval(*arguments, "--allow-leak").code == 1
