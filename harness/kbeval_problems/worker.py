"""Loads problem files nobody trusts: each in a forked child of its own, confined, limited and with a deadline.

Run by kbeval as ``python -m kbeval_problems``. Standard input holds one JSON object:

    jobs          how many children at once
    deadline      seconds of each child
    sandbox       settings of the sandbox, as in the `spawn` message
    tasks         [{"key", "file", "name", "level", "source", "recorded"}]; `recorded` holds facts to compare with,
                  or is null

Standard output gets one JSON line for each task, as they finish: {"key", "ok", "stage", "reason"}, where a failed task
says in which stage (parse, load, trace, compare) and why, and a good one also has "family", "shapes", "costs" and
"differences". A problem that loads but can't be traced on meta tensors is good, with its "reason" and without shapes.
"""

from __future__ import annotations

import ast
import json
import os
import resource
import select
import signal
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import torch
from kbeval_harness.confine import enter_sandbox
from kbeval_harness.host import die_with_parent

from .facts import differences
from .family import family_of
from .trace import ProblemFileError, load_source, trace_module

Json = dict[str, Any]

MAX_ANSWER_BYTES = 8 << 20
MAX_REASON_CHARS = 500
DATA_BYTES = 4 << 30  # beyond what PyTorch already holds
FUNCTIONS = ("get_inputs", "get_init_inputs")
GRACE_SECONDS = 5  # for entering the sandbox on a busy machine, beside the deadline

_WARM_UP = """
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 1, 1)
        self.norm = nn.BatchNorm2d(1)
    def forward(self, x):
        return torch.softmax(self.norm(self.conv(x)) @ x.transpose(2, 3), 1).sum()
def get_inputs():
    return [torch.rand(1, 1, 2, 2)]
def get_init_inputs():
    return []
"""


class Refused(Exception):
    """The problem is not usable: in which stage, and why."""

    def __init__(self, stage: str, reason: str) -> None:
        super().__init__(reason)
        self.stage = stage


def parse(source: str) -> None:
    """Looks without executing anything: syntax, and that what must be there is at least named."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise Refused("parse", f"line {error.lineno}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise Refused("parse", f"can't be parsed: {error or type(error).__name__}") from None
    named = {node.name for node in ast.walk(tree) if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    named |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    named |= {a.asname or a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names}
    missing = [name for name in ("Model", *FUNCTIONS) if name not in named]
    if missing:
        raise Refused("parse", f"defines no {' and no '.join(missing)}")


def examine(task: Json) -> Json:
    """The answer to one task; runs in a confined child."""
    parse(task["source"])
    try:
        module = load_source(task["source"], task["file"])
    except ProblemFileError as error:
        raise Refused("load", str(error).removeprefix(f"{task['file']}: ")) from None
    if not (isinstance(module.Model, type) and issubclass(module.Model, torch.nn.Module)):
        raise Refused("load", "Model is not a torch.nn.Module")
    recorded = task["recorded"]
    try:
        facts = trace_module(module)
    except Exception as error:
        reason = f"cannot be traced: {type(error).__name__}: {error}"
        if recorded is not None:
            raise Refused("trace", reason) from None
        return {"ok": True, "stage": "trace", "reason": reason}
    answer = {
        "ok": True,
        "stage": "",
        "reason": "",
        "costs": {**facts["costs"], "operators": facts["forward_call_count"]},
    }
    answer["family"] = family_of(task["name"], task["level"], facts)
    answer["shapes"] = {key: facts[key] for key in ("inputs", "init_inputs", "outputs")}
    if recorded is not None:
        named = {key: recorded[key] for key in ("level", "number", "name") if key in recorded}
        try:
            answer["differences"] = differences(recorded, {**facts, **named})
        except Exception as error:
            raise Refused("compare", f"the recorded facts are malformed: {error!r}") from None
    return answer


def answer_to(task: Json) -> Json:
    try:
        answer = examine(task)
    except Refused as refusal:
        answer = {"ok": False, "stage": refusal.stage, "reason": str(refusal)}
    except BaseException as error:  # the source may raise anything, SystemExit too
        answer = {"ok": False, "stage": "load", "reason": f"{type(error).__name__}: {error}"}
    answer["reason"] = answer["reason"].encode("utf-8", "replace").decode()[:MAX_REASON_CHARS]
    return answer


@dataclass
class Child:
    """A forked child at work, and what it has answered so far."""

    task: Json
    pid: int
    pipe: int
    started: float
    answer: bytearray = field(default_factory=bytearray)

    def read(self) -> bool:
        """Takes what is there; False at the end of the answer."""
        data = os.read(self.pipe, 1 << 16)
        self.answer += data
        return bool(data) and len(self.answer) <= MAX_ANSWER_BYTES

    def finish(self, timed_out: bool, deadline: float) -> Json:
        """Ends the child and everything it started, and judges its answer."""
        os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.pipe)
        if timed_out:
            return {"ok": False, "stage": "load", "reason": f"did not finish within {deadline:g} s"}
        try:
            answer = json.loads(self.answer)
            return answer if isinstance(answer, dict) else {}
        except ValueError:
            how = (
                f"signal {os.WTERMSIG(status)}"
                if os.WIFSIGNALED(status)
                else f"status {os.waitstatus_to_exitcode(status)}"
            )
            return {"ok": False, "stage": "load", "reason": f"its process ended with {how} and no answer"}


def start(task: Json, sandbox: Json, deadline: float) -> Child:
    read_end, write_end = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            die_with_parent(parent)
            os.close(read_end)
            enter_sandbox(sandbox, [write_end])
            limit(deadline)
            os.write(write_end, b" ")  # confined: from here on the deadline is the problem's own
            text = json.dumps(answer_to(task)).encode()
            while text:
                text = text[os.write(write_end, text) :]
            os._exit(0)
        except BaseException as error:
            reason = f"the sandbox could not be entered: {error}"
            os.write(write_end, json.dumps({"ok": False, "stage": "sandbox", "reason": reason}).encode())
        finally:
            os._exit(70)
    os.close(write_end)
    return Child(task, pid, read_end, time.monotonic())


def limit(deadline: float) -> None:
    """Processor time and memory of this process; the sandbox limits the rest."""
    seconds = int(deadline) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    with open("/proc/self/status", encoding="utf-8") as status:
        held = next(line for line in status if line.startswith("VmData"))
    data = int(held.split()[1]) * 1024 + DATA_BYTES
    resource.setrlimit(resource.RLIMIT_DATA, (data, data))
    torch.set_num_threads(1)


def work(tasks: list[Json], jobs: int, deadline: float, sandbox: Json) -> None:
    waiting = list(reversed(tasks))
    running: dict[int, Child] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            child = start(waiting.pop(), sandbox, deadline)
            running[child.pipe] = child
        ready = select.select(list(running), [], [], 0.2)[0]
        now = time.monotonic()
        for child in list(running.values()):
            begun = bool(child.answer)
            if child.pipe in ready and child.read():
                if not begun:
                    child.started = now
                continue
            timed_out = now - child.started > deadline + (0 if begun else GRACE_SECONDS)
            if child.pipe in ready or timed_out:
                del running[child.pipe]
                answer = child.finish(timed_out and child.pipe not in ready, deadline)
                print(json.dumps({**answer, "key": child.task["key"]}), flush=True)


def main() -> int:
    request: Json = json.load(sys.stdin)
    torch.set_num_threads(1)  # a fork has no thread pool
    trace_module(
        load_source(_WARM_UP, "warm_up.py")
    )  # what is loaded on first use is loaded before the forks
    work(request["tasks"], int(request["jobs"]), float(request["deadline"]), request["sandbox"])
    return 0
