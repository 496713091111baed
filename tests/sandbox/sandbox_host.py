"""A runner host in small: forks a child, which enters the sandbox and runs given Python code there.

Reads {"config", "code", "host_code", "import_torch", "timeout"} as JSON from standard input. Prints one JSON
object with the wait status of the child, the report of the sandbox and what the code passed to ``say``.
`host_code` runs in the host before the fork; it may define after_fork(pid) and at_end(result).
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import traceback
from typing import Any

from kbeval_harness import sandbox


def child(job: dict[str, Any], library: Any, channel: int) -> None:
    def say(**values: Any) -> None:
        os.write(channel, json.dumps(values).encode() + b"\n")

    config = job["config"]
    limits = sandbox.SandboxLimits(**config.pop("limits", {}))
    config["keep_fds"] = [1, 2, channel, *config.get("keep_fds", ())]
    try:
        report = sandbox.enter(sandbox.SandboxConfig(limits=limits, **config), library)
    except sandbox.SandboxError as error:
        say(error=str(error), code=error.code)
        os._exit(97)
    say(report=json.loads(json.dumps(report.__dict__)))
    try:
        exec(job["code"], {"say": say, "report": report, "__name__": "__sandboxed__", "channel": channel})
    except BaseException:
        say(traceback=traceback.format_exc())
        os._exit(98)
    os._exit(0)


def collect(read_end: int, supervisor: int, deadline: float) -> tuple[bytes, bool]:
    received = b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([read_end], [], [], left)[0]:
            os.kill(supervisor, signal.SIGKILL)
            return received, True
        chunk = os.read(read_end, 1 << 16)
        if not chunk:
            return received, False
        received += chunk


def main() -> None:
    job = json.load(sys.stdin)
    library = sandbox.load_library()
    if job.get("import_torch"):
        import torch  # noqa: F401  (as the real host does, before it forks)
    context: dict[str, Any] = {"job": job}
    exec(job.get("host_code", ""), context)  # may open descriptors and change the configuration
    read_end, write_end = os.pipe()
    sys.stdout.flush()
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.close(read_end)
        child(job, library, write_end)
    os.close(write_end)
    if "after_fork" in context:
        context["after_fork"](pid)
    received, timed_out = collect(read_end, pid, start + job.get("timeout", 60))
    status = os.waitpid(pid, 0)[1]
    result: dict[str, Any] = {"status": status, "timed_out": timed_out, "seconds": time.monotonic() - start}
    for line in received.splitlines():
        result.update(json.loads(line))
    if "at_end" in context:
        context["at_end"](result)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
