"""Rules about the text itself, and inputs meant to exhaust the parser or the checker."""

from __future__ import annotations

import pytest
from static_check_support import MODEL, PREAMBLE, check, codes, module_with

GOOD = PREAMBLE + MODEL


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"#" * ((1 << 20) + 1), "KB101"),
        (GOOD.encode() + b"# \xff\n", "KB102"),
        (GOOD.encode() + b"# \xed\xa0\x80\n", "KB102"),
        (b"\xef\xbb\xbf" + GOOD.encode(), "KB103"),
        (GOOD.encode() + b"\0", "KB104"),
        (GOOD.encode() + "# arrow \u2192\n".encode(), "KB105"),
        (GOOD.encode() + "\uff45val('1')\n".encode(), "KB105"),
        (GOOD.encode() + b"\x0c\n", "KB106"),
        (GOOD.encode() + b"# a\rimport os\n", "KB106"),
        (GOOD.encode() + b"\x1a", "KB106"),
        (GOOD.encode() + b"def broken(:\n", "KB107"),
        (b"# -*- coding: utf-7 -*-\n" + GOOD.encode(), "KB110"),
        (b"#!x\n# vim: set fileencoding=latin-1 :\n" + GOOD.encode(), "KB110"),
    ],
)
def test_text_rules_reject(data: bytes, code: str) -> None:
    assert code in codes(data)


@pytest.mark.parametrize(
    "data",
    [
        GOOD.encode(),
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.replace("    ", "\t").encode(),
        b"# -*- coding: UTF_8 -*-\n" + GOOD.encode(),
        GOOD.encode().rstrip(b"\n"),
        b"#" * ((1 << 20) - len(GOOD) - 1) + b"\n" + GOOD.encode(),
    ],
)
def test_text_rules_accept(data: bytes) -> None:
    assert codes(data) == set()


def test_syntax_error_has_place_and_reason() -> None:
    report = check("x = 1\nif x\n    y = 2\n")
    assert report["violations"][0]["code"] == "KB107"
    assert (report["violations"][0]["line"], report["violations"][0]["column"]) == (2, 5)
    assert "expected ':'" in report["violations"][0]["message"]


def test_non_ascii_place_counts_characters() -> None:
    found = check(GOOD + "# \u00e9\u2192\n")["violations"]
    assert [(v["column"], v["message"][:26]) for v in found] == [
        (3, "non-ASCII character U+00E9"),
        (4, "non-ASCII character U+2192"),
    ]


def test_non_ascii_does_not_hide_other_violations() -> None:
    assert codes("import os  # \u2192\n" + GOOD) == {"KB105", "KB301"}


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 100_000,
        "x = " + "[" * 100_000 + "]" * 100_000,
        "x = " + "(" * 190 + "1" + ")" * 190,
        "x = a" + ".b" * 100_000,
        "x = a" + ".b" * 900,
        "x = a" + "()" * 100_000,
        "x = a" + "[0]" * 5_000,
        "x = " + "-" * 100_000 + "1",
        "x = " + "not " * 5_000 + "1",
        "x = 1" + " + 1" * 100_000,
        "x = 1" + " + 1" * 900,
        "x = " + "2 ** " * 100_000 + "1",
        "x = " + "lambda: " * 100_000 + "1",
        "x = " + "1 if a else " * 100_000 + "1",
        "if a:\n    x\n" + "elif b:\n    x\n" * 20_000,
        "\n".join(" " * i + "if x:" for i in range(99)) + "\n" + " " * 99 + "x",
        "\n".join(" " * i + "if x:" for i in range(300)),
        "x = " + "f'{" * 200 + "1",
        "a = " * 50_000 + "1",
        "@a\n" * 50_000 + "def f(): pass",
        "x = 1" + "1" * 100_000,
        "x = 0x" + "f" * 100_000,
        "match x:\n case " + "[" * 150 + "]" * 150 + ": pass",
    ],
    ids=lambda text: text[:12].replace("\n", " ") + str(len(text)),
)
def test_nesting_never_crashes(text: str) -> None:
    report = check(text + "\n")
    assert not report["ok"]


def test_deep_chains_are_reported_as_nesting() -> None:
    assert codes("x = a" + ".b" * 900) == {"KB108"}
    assert codes("x = a" + ".b" * 100_000) == {"KB108"}
    assert codes("x = " + "(" * 100_000) == {"KB108"}


def test_long_flat_code_is_accepted() -> None:
    chain = "def pick(a):\n    if a == 0:\n        return 0\n"
    chain += "".join(f"    elif a == {i}:\n        return {i}\n" for i in range(1, 300))
    assert codes(module_with(chain)) == set()
    assert codes(module_with("TABLE = [" + "1, " * 50_000 + "]\n")) == set()


def test_program_too_large() -> None:
    assert codes("x = [" + "1," * 300_000 + "]\n") == {"KB109"}


def test_alias_cycles_end() -> None:
    cycle = "a = b\nb = a\n" + "".join(f"c{i} = c{i + 1}\n" for i in range(500)) + "c500 = torch\n"
    assert "KB402" not in codes(module_with(cycle))
    assert not check(module_with("a = a.b\na.os.system('x')\n"))["ok"]


def test_tangled_aliases_are_refused() -> None:
    rows = [f"a{i} = a{j}.x{i}\n" for i in range(90) for j in range(90)]
    assert codes(module_with("a0 = torch\n" + "".join(rows))) == {"KB111"}
