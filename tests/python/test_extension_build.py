"""Builders of inline extensions: requests, reduced headers with their way back, and the cache."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "harness"))

from kbeval_harness import extension_build as eb
from kbeval_harness.build_cache import BuildCache

SIMPLE = """#include <torch/extension.h>
torch::Tensor twice(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 1, "one dimension");
  auto out = torch::empty_like(x);
  auto zero = torch::zeros({x.size(0)}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "twice", [&] {
    for (int64_t i = 0; i < x.numel(); ++i) out.data_ptr<scalar_t>()[i] = 2 * x.data_ptr<scalar_t>()[i];
  });
  return out + zero;
}
"""
# torch::nn is in no reduced header.
MODULES = """#include <torch/extension.h>
torch::Tensor apply(torch::Tensor x) { return torch::nn::functional::relu(x); }
"""
SCRIPT = """
import json, os, sys, time
sys.path.insert(0, {harness!r})
from pathlib import Path
import torch
from kbeval_harness import extension_build as eb
from torch.utils import cpp_extension
load = cpp_extension._import_module_from_library
folder = Path({folder!r})
try:
    eb.build({request!r}, folder)
except RuntimeError as error:
    print(error)
    sys.exit(3)
module = load({request!r}["name"], str(folder), True)
print(getattr(module, {function!r})(torch.tensor([1.0, -2.0])).tolist(), (folder / "full").exists())
"""


def build(folder: Path, sources: str, function: str) -> subprocess.CompletedProcess[str]:
    request = eb.request_from({"name": "x", "cpp_sources": sources, "functions": [function]}, "")
    code = SCRIPT.format(
        harness=str(Path(eb.__file__).parents[1]), folder=str(folder), request=request, function=function
    )
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=280, check=False
    )


def test_reduced_headers_do_for_an_ordinary_extension(tmp_path: Path) -> None:
    done = build(tmp_path, SIMPLE, "twice")
    assert done.stdout.strip() == "[2.0, -4.0] False", done.stdout + done.stderr


def test_full_headers_do_the_rest(tmp_path: Path) -> None:
    done = build(tmp_path, MODULES, "apply")
    assert done.stdout.strip() == "[1.0, 0.0] True", done.stdout + done.stderr


def test_requests_are_checked() -> None:
    good = {"name": "x", "cpp_sources": "int f();", "functions": "f", "extra_cflags": ["-O3"]}
    request = eb.request_from(good, "9.0")
    assert request == {
        "arch": "9.0",
        "name": "x",
        "cpp_sources": ["int f();"],
        "functions": ["f"],
        "extra_cflags": ["-O3"],
    }
    assert eb.is_request(request)
    assert eb.keepable(request)
    assert not eb.keepable({**request, "extra_cflags": ["-I/somewhere"]})
    for odd in ({"build_directory": "/tmp"}, {"extra_include_paths": ["/x"]}, {"name": "../x"}, {"sycl": 1}):
        assert eb.request_from({**good, **odd}, "9.0") is None
    for odd in (
        [],
        None,
        {},
        {**request, "name": "a/b"},
        {**request, "arch": "9.0; rm"},
        {**request, "functions": 3},
        {**request, "more": 1},
        {**request, "with_cuda": "yes"},
        {**request, "extra_cflags": [3]},
    ):
        assert not eb.is_request(odd)


def test_the_key_is_over_everything() -> None:
    request = {"name": "x", "arch": "9.0", "cpp_sources": ["a"], "functions": ["f"]}
    variants = [
        {**request, "name": "y"},
        {**request, "arch": "8.0"},
        {**request, "cpp_sources": ["b"]},
        {**request, "functions": ["g"]},
        {**request, "extra_cflags": ["-O3"]},
    ]
    keys = {eb.key_of(one) for one in [request, *variants]}
    assert len(keys) == 6
    assert eb.key_of(dict(reversed(list(request.items())))) in keys


def test_cache_keeps_whole_entries_within_its_bound(tmp_path: Path) -> None:
    cache = BuildCache(tmp_path, 1000)
    for number, name in enumerate("abc"):
        cache.put(name, name.encode() * 300)
        os.utime(tmp_path / f"{name}.ext", (number, number))
    assert cache.get("a") == b"a" * 300  # used now: b is the oldest
    cache.put("d", b"d" * 300)
    assert cache.get("b") is None
    assert [cache.get(name) is not None for name in "acd"] == [True, True, True]
    cache.put("huge", b"h" * 2000)
    assert cache.get("huge") is None
    entry = tmp_path / "a.ext"
    entry.write_bytes(entry.read_bytes()[:-1] + b"!")
    assert cache.get("a") is None
    assert not entry.exists()


def test_a_full_or_unwritable_cache_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = BuildCache(tmp_path / "file" / "below")
    cache.put("a", b"a")
    assert cache.get("a") is None


def _write_for_ever(folder: Path, fill: int) -> None:
    cache = BuildCache(folder)
    while True:
        cache.put("k", bytes([fill]) * (4 << 20))


def test_writers_that_are_killed_leave_no_half_entry(tmp_path: Path) -> None:
    reader = BuildCache(tmp_path)
    reader.put("k", b"\x01" * (4 << 20))
    for _ in range(4):
        writers = [multiprocessing.Process(target=_write_for_ever, args=(tmp_path, fill)) for fill in (1, 2)]
        for writer in writers:
            writer.start()
        until = time.monotonic() + 0.4
        while time.monotonic() < until:
            data = reader.get("k")
            assert data is not None
            assert len(data) == 4 << 20
            assert len(set(data)) == 1
        for writer in writers:
            assert writer.pid is not None
            os.kill(writer.pid, signal.SIGKILL)
            writer.join()
    for left in tmp_path.glob("*.tmp"):
        os.utime(left, (0, 0))
    reader.put("other", b"x")
    assert not list(tmp_path.glob("*.tmp"))
