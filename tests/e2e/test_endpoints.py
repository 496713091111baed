"""Agents behind HTTP endpoints that misbehave, served on loopback."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import pytest
from conftest import Kbeval, Result

KEY = "sk-very-secret-0123456789"
REPLY = "ACTION: SUBMIT\n```python\nimport os\n```"
GOOD = {
    "/v1/chat/completions": {
        "choices": [{"message": {"role": "assistant", "content": REPLY}}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7},
    },
    "/v1/messages": {
        "content": [{"type": "thinking", "thinking": "..."}, {"type": "text", "text": REPLY}],
        "usage": {"input_tokens": 8, "cache_read_input_tokens": 3, "output_tokens": 7},
    },
}


class Server(ThreadingHTTPServer):
    daemon_threads = True
    seen: list[tuple[str, dict[str, str], Any, float]]


class Handler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = cast(Server, self.server)
        server.seen.append((self.path, dict(self.headers), body, time.monotonic()))
        attempt = len(server.seen)
        getattr(self, "be_" + str(body["model"]).replace("-", "_"))(attempt)

    def answer(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, length: int | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def be_good(self, attempt: int) -> None:
        self.answer(200, json.dumps(GOOD[self.path]).encode())

    def be_slow(self, attempt: int) -> None:
        if attempt == 1:
            time.sleep(3)
        self.be_good(attempt)

    def be_cut(self, attempt: int) -> None:
        body = json.dumps(GOOD[self.path]).encode()
        if attempt == 1:
            self.answer(200, body[:20], length=len(body))
            self.close_connection = True
        else:
            self.be_good(attempt)

    def be_wrong(self, attempt: int) -> None:
        self.answer(200, b'{"choices": [], "content": 5}' if attempt == 1 else b"<html>busy</html>") if (
            attempt < 3
        ) else self.be_good(attempt)

    def be_storm(self, attempt: int) -> None:
        if attempt < 3:
            self.answer(429, b"slow down", {"Retry-After": "2"})
        else:
            self.be_good(attempt)

    def be_broken(self, attempt: int) -> None:
        self.answer(503, b"\x1b[31mno\xff")

    def be_refusing(self, attempt: int) -> None:
        self.answer(401, f"wrong key {KEY}".encode())

    def be_far(self, attempt: int) -> None:
        self.answer(429, b"", {"Retry-After": "86400"})

    def be_moved(self, attempt: int) -> None:
        self.answer(307, b"", {"Location": f"http://127.0.0.1:{self.server.server_port}/elsewhere"})  # type: ignore[attr-defined]

    def be_huge(self, attempt: int) -> None:
        chunk = b" " * (1 << 20)
        self.send_response(200)
        self.send_header("Content-Length", str(1 << 30))
        self.end_headers()
        for _ in range(1 << 10):
            self.wfile.write(chunk)


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server(("127.0.0.1", 0), Handler)
    server.seen = []
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that give up are expected
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def ask(kbeval: Kbeval, server: Server, model: str, *options: str, kind: str = "openai") -> Result:
    base = f"http://127.0.0.1:{server.server_port}" + ("/v1" if kind == "openai" else "")
    keys = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "no_proxy": "127.0.0.1"}
    arguments = ("--agent", f"{kind}:{model}@{base}", "--device", "cpu", "--json", *options)
    return kbeval("episode", "L1_088", *arguments, env=keys)


def turn_of(result: Result) -> Any:
    assert result.code == 1, result.err
    return json.loads(result.out.splitlines()[1])


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_both_apis(kbeval: Kbeval, server: Server, kind: str, database: Path) -> None:
    turn = turn_of(ask(kbeval, server, "good", "--max-tokens", "77", kind=kind))
    assert (turn["status"], turn["input_tokens"], turn["output_tokens"]) == ("forbidden", 11, 7)
    path, headers, body, _ = server.seen[0]
    assert path in GOOD
    assert body["max_tokens"] == 77
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert "ModelNew" in body["messages"][0]["content"]
    sent = {name.lower(): value for name, value in headers.items()}
    assert sent["authorization" if kind == "openai" else "x-api-key"].endswith(KEY)
    assert kind == "openai" or sent["anthropic-version"] == "2023-06-01"
    for file in database.parent.iterdir():
        assert KEY.encode() not in file.read_bytes()


@pytest.mark.parametrize(
    ("model", "options", "attempts"),
    [("slow", ["--agent-timeout", "1"], 2), ("cut", [], 2), ("wrong", [], 3), ("storm", [], 3)],
)
def test_what_passes_is_waited_for(
    kbeval: Kbeval, server: Server, model: str, options: list[str], attempts: int
) -> None:
    assert turn_of(ask(kbeval, server, model, *options))["status"] == "forbidden"
    assert len(server.seen) == attempts
    if model == "storm":  # Retry-After is honoured
        times = [seen[3] for seen in server.seen]
        assert all(later - earlier > 1.9 for earlier, later in itertools.pairwise(times))


@pytest.mark.parametrize(
    "case",
    [
        ("broken", 2, "status 503"),
        ("refusing", 1, "status 401: wrong key [key]"),
        ("far", 1, "come back after 86400 s"),
        ("moved", 1, "status 307"),
        ("huge", 1, "larger than 32 MiB"),
    ],
)
def test_what_stays_is_said(
    kbeval: Kbeval, server: Server, database: Path, case: tuple[str, int, str]
) -> None:
    model, attempts, said = case
    failed = ask(kbeval, server, model, "--agent-attempts", "2")
    assert failed.code == 3, failed.err
    assert said in failed.err
    assert "--resume" in failed.err
    assert "\x1b" not in failed.err
    assert len(server.seen) == attempts
    assert KEY not in failed.err + failed.out
    for file in database.parent.iterdir():
        assert KEY.encode() not in file.read_bytes()
