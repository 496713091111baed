"""The rule table, its documentation, and the name lists against the real libraries."""

from __future__ import annotations

import importlib
import re
import types
from pathlib import Path

import pytest
from kbeval_harness.static_check.policy import NAMESPACES, refused_part
from kbeval_harness.static_check.rules import BY_NAME, RULES, Rule

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "docs" / "static-check.md"
PACKAGE = ROOT / "harness" / "kbeval_harness" / "static_check"
TESTS = Path(__file__).resolve().parent


def test_codes_and_names_are_unique_and_ordered() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert len(BY_NAME) == len(RULES)
    assert all(re.fullmatch(r"KB\d{3}", code) for code in codes)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name) for rule in RULES)


def test_document_and_table_agree() -> None:
    headings = re.findall(r"^### (KB\d{3}) ([a-z0-9-]+)\n\n(.+)\n", DOCUMENT.read_text(), re.MULTILINE)
    written = [(code, name, first[0].lower() + first[1:]) for code, name, first in headings]
    expected = [(r.code, r.name, f"{r.summary[0].lower()}{r.summary[1:]}.") for r in RULES]
    assert written == expected


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_is_raised_and_tested(rule: Rule) -> None:
    sources = "".join(path.read_text() for path in PACKAGE.glob("*.py") if path.name != "rules.py")
    assert f'"{rule.name}"' in sources
    assert any(f'"{rule.code}"' in path.read_text() for path in TESTS.glob("test_*.py"))


@pytest.mark.parametrize("namespace", sorted(NAMESPACES))
def test_no_permitted_name_leads_to_another_module(namespace: str) -> None:
    """Needs torch and triton, which the check does not: finds what a new version makes reachable."""
    library = namespace.partition(".")[0]
    if library in ("torch", "triton"):
        pytest.importorskip(library)
    try:
        module = importlib.import_module(namespace)
    except ModuleNotFoundError:
        pytest.skip(f"{namespace} is not in this installation")
    leaks = [
        name
        for name in dir(module)
        if isinstance(getattr(module, name, None), types.ModuleType)
        and refused_part(f"{namespace}.{name}") is None
        and f"{namespace}.{name}" not in NAMESPACES
    ]
    assert leaks == (["aten"] if namespace == "torch.ops" and leaks else [])


@pytest.mark.parametrize(
    "path",
    [
        "torch.einsum",
        "torch.addmm",
        "torch.bmm",
        "torch.float8_e4m3fn",
        "torch.finfo",
        "torch.channels_last",
        "torch.nn.Linear",
        "torch.nn.functional.scaled_dot_product_attention",
        "torch.nn.init.xavier_uniform_",
        "torch.cuda.get_device_capability",
        "torch.Tensor",
        "torch.trace",
        "torch.chunk",
        "triton.language.dot",
        "triton.language.extra.cuda.libdevice.tanh",
        "math.inf",
        "torch.get_default_dtype",
        "torch.is_tensor",
        "torch.inf",
        "torch.pi",
        "torch.strided",
        "torch.preserve_format",
        "torch.ops.aten.mm.default",
    ],
)
def test_names_that_kernels_need_are_permitted(path: str) -> None:
    assert refused_part(path) is None
