"""The native library as it was built, for tests that measure or compare with it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from kbeval_harness import native

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def lib() -> Any:
    if native.ENV_LIBRARY not in os.environ:
        built = sorted((ROOT / "build" / "release").rglob("kbeval_native*.so"))
        assert built, "kbeval_native is not built"
        os.environ[native.ENV_LIBRARY] = str(built[0])
    return native.module()
