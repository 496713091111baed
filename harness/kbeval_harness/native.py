"""Loads the native measuring library ``kbeval_native`` from where kbeval says it is."""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from types import ModuleType
from typing import Any

ENV_LIBRARY = "KBEVAL_NATIVE_LIB"


@cache
def _load() -> ModuleType:
    path = os.environ.get(ENV_LIBRARY, "")
    if not path:
        raise RuntimeError(f"{ENV_LIBRARY} is not set: it names the native library kbeval_native")
    spec = importlib.util.spec_from_file_location("kbeval_native", path)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"{path}: not a Python extension module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def module() -> Any:
    """The extension module; importing it creates no CUDA context."""
    return _load()
