"""Command line of the static check: source on standard input, one JSON object on standard output.

Usage: python -I .../kbeval_harness/static_check/__main__.py [--device cuda|cpu] < candidate.py
Exit status 0 whenever a verdict was given, 2 for bad usage.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

STACK_BYTES = 64 << 20


def _import_by_path() -> None:
    """Makes the package importable where this file was started by its path, as isolated mode asks for."""
    if not __package__:
        sys.path.insert(0, __file__.rsplit("/", 3)[0])


def main(arguments: list[str]) -> int:
    """Runs the check. Returns the exit status."""
    import json

    from kbeval_harness.static_check.checker import DEVICES, check_source
    from kbeval_harness.static_check.source import MAX_SOURCE_BYTES

    device = parse_device(arguments, DEVICES)
    if device is None:
        print("usage: static_check [--device cuda|cpu] < candidate.py", file=sys.stderr)
        return 2
    # A little more than the limit is enough to know that it was passed; the rest is counted but not kept.
    data = sys.stdin.buffer.read(MAX_SOURCE_BYTES + 1)
    extra = 0
    while chunk := sys.stdin.buffer.read(1 << 16):
        extra += len(chunk)
    report = on_large_stack(lambda: check_source(data, device))
    report.source_bytes += extra
    json.dump(report.to_json(), sys.stdout, ensure_ascii=True)
    sys.stdout.write("\n")
    return 0


def on_large_stack(work: Callable[[], T]) -> T:
    """The result of `work`, run on a stack that holds the parser's deepest recursion whatever the limits."""
    import threading

    results: list[T] = []
    threading.stack_size(STACK_BYTES)
    worker = threading.Thread(target=lambda: results.append(work()))
    try:
        worker.start()
    except RuntimeError:  # no room for the stack: a memory limit is set
        return work()
    worker.join()
    if not results:
        sys.exit(1)  # an error of the check itself; the thread has printed it
    return results[0]


def parse_device(arguments: list[str], devices: tuple[str, ...]) -> str | None:
    """The device that `arguments` ask for, the first of `devices` by default, or None for bad usage."""
    if not arguments:
        return devices[0]
    if len(arguments) == 1 and arguments[0].startswith("--device="):
        value = arguments[0].partition("=")[2]
    elif len(arguments) == 2 and arguments[0] == "--device":
        value = arguments[1]
    else:
        return None
    return value if value in devices else None


if __name__ == "__main__":
    _import_by_path()
    sys.exit(main(sys.argv[1:]))
