"""Writes reduced versions of PyTorch's headers for one extension, so that compiling it costs seconds.

``torch/extension.h`` brings 400,000 lines, which nvcc reads three times; an extension uses a handful of operators.
The reduced headers are made from those of the installed PyTorch itself: the declarations are its own, only operators
that the source doesn't name are missing. What they don't suffice for doesn't compile, and is compiled with the full
headers then (see ``extension_build``), so nothing changes in what a candidate may write. docs/builds.md has figures.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_HEAVY = re.compile(r"#include <ATen/(?:Context|DeviceGuard|TensorUtils|TracerMode)\.h>\n")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_FACTORY = re.compile(r"^inline at::Tensor (\w+)\(.*?^}\n", re.DOTALL | re.MULTILINE)
_MADE = re.compile(
    r"autograd::make_variable\((.*), /\*requires_grad=\*/(options\.requires_grad\(\))\);", re.DOTALL
)
_TYPES_BODY = re.compile(r"^namespace torch \{.*^\} // namespace torch\n", re.DOTALL | re.MULTILINE)

# Headers that ATen/ATen.h includes, by the word that shows that they are needed.
_BY_WORD = {
    "AT_DISPATCH": "ATen/Dispatch.h",
    "DeviceGuard": "ATen/DeviceGuard.h",
    "globalContext": "ATen/Context.h",
    "indexing": "ATen/TensorIndexing.h",
    "Slice": "ATen/TensorIndexing.h",
    "cout": "ATen/Formatting.h",
    "TORCH_LIBRARY": "torch/library.h",
    "InferenceMode": "c10/core/InferenceMode.h",
}

_ATEN = """#pragma once
#ifndef AT_PER_OPERATOR_HEADERS
#define AT_PER_OPERATOR_HEADERS
#endif
#include <ATen/Device.h>
#include <ATen/DimVector.h>
#include <ATen/Tensor.h>
#include <ATen/core/Generator.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Scalar.h>
#include <c10/core/Layout.h>
#include <c10/core/Storage.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/Exception.h>
"""

_FACTORIES = """namespace torch {
namespace kbeval_thin {
inline at::Tensor made(at::Tensor tensor, bool requires_grad) {
  return requires_grad ? tensor.set_requires_grad(true) : tensor;
}
}
"""

_PYTHON = """#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/csrc/utils/python_numbers.h>
#include <torch/csrc/utils/python_tuples.h>
"""


class Unsuitable(Exception):
    """The reduced headers can't be made: this PyTorch's headers are not as expected."""


@cache
def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise Unsuitable(str(error)) from None


def _operator(text: str) -> str:
    """The header of an operator without those it includes for the sake of others."""
    return _HEAVY.sub("", text)


def _factories(include: Path, words: frozenset[str]) -> str:
    """``torch::zeros`` and its like, as PyTorch defines them: ``at::zeros`` with requires_grad set."""
    text = _read(include / "torch/csrc/autograd/generated/variable_factories.h")
    found = [
        _MADE.sub(r"kbeval_thin::made(\1, \2);", match.group(0))
        for match in _FACTORY.finditer(text)
        if match.group(1) in words
    ]
    # What is made in another way (from containers, from memory) needs the full headers.
    found = [one for one in found if "autograd::" not in one]
    return _FACTORIES + "".join(found) + "}\n"


def write(folder: Path, include: Path, sources: str) -> None:
    """Write into ``folder``, which is to come before ``include`` (PyTorch's), what ``sources`` need.

    Raises Unsuitable.
    """
    words = frozenset(_IDENTIFIER.findall(sources))
    operators = sorted(word for word in words if (include / f"ATen/ops/{word}_ops.h").is_file())
    extra = sorted({header for word, header in _BY_WORD.items() if word in sources})
    types = _TYPES_BODY.search(_read(include / "torch/csrc/api/include/torch/types.h"))
    if types is None:
        raise Unsuitable("torch/types.h has no namespace torch")

    def includes(headers: list[str]) -> str:
        return "".join(f"#include <{header}>\n" for header in headers)

    files = {f"ATen/ops/{name}.h": _operator(_read(include / f"ATen/ops/{name}.h")) for name in operators}
    aten = _ATEN + includes(extra) + includes(sorted(files))
    if "operator" in sources or re.search(r"[-+*/<>=]", sources):
        aten += includes(["ATen/TensorOperators.h"])
    files["ATen/ATen.h"] = aten
    files["torch/types.h"] = (
        "#pragma once\n#include <ATen/ATen.h>\n#include <optional>\n"
        + _factories(include, words)
        + types.group(0)
    )
    python = "pybind11" in words or "py" in words or "PYBIND11_MODULE" in words
    files["torch/extension.h"] = (
        "#pragma once\n#include <torch/types.h>\n"
        + ("" if python else "#ifndef __CUDACC__\n")
        + _PYTHON
        + ("" if python else "#endif\n")
    )
    files["torch/torch.h"] = files["torch/all.h"] = "#pragma once\n#include <torch/types.h>\n"
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
