"""Runs the real binary on the CPU device. Where a test needs real candidates it says so and is skipped without them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("KBEVAL_BINARY", ROOT / "build" / "release" / "bin" / "kbeval"))


@dataclass
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Kbeval = Callable[..., Result]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "results" / "kbeval.db"


@pytest.fixture
def kbeval(tmp_path: Path, database: Path) -> Kbeval:
    """Runs kbeval with a database and a work folder of the test's own."""

    def run(
        *arguments: str | Path, stdin: bytes = b"", env: dict[str, str] | None = None, timeout: float = 280
    ) -> Result:
        variables = {
            **os.environ,
            "KBEVAL_DB": str(database),
            "KBEVAL_CACHE": str(tmp_path / "cache"),
            **(env or {}),
        }
        process = subprocess.run(
            [BINARY, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            timeout=timeout,
            env=variables,
            check=False,
        )
        return Result(process.returncode, process.stdout.decode(), process.stderr.decode())

    return run
