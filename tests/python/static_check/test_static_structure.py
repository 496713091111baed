"""Definitions, decorators, exceptions and assignment."""

from __future__ import annotations

import pytest
from static_check_support import (
    MODEL,
    PREAMBLE,
    check,
    codes,
    method_with,
    module_with,
    numbered,
    warning_codes,
)

FUNCTION = """
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.factor = 2.0
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor

def scale(x):
    return Scale.apply(x)
"""


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (PREAMBLE, "KB201"),
        (PREAMBLE + "def ModelNew():\n    pass\n", "KB201"),
        (PREAMBLE + "if True:\n    class ModelNew(nn.Module):\n        pass\n", "KB201"),
        (module_with("class Model(nn.Module):\n    pass\n"), "KB202"),
        (module_with("Model = nn.ReLU\n"), "KB202"),
        (module_with("from typing import Any as Model\n"), "KB202"),
        (PREAMBLE + MODEL + "ModelNew = nn.ReLU\n", "KB203"),
        (PREAMBLE + MODEL + MODEL, "KB203"),
        (PREAMBLE + MODEL + "def f():\n    global ModelNew\n    ModelNew = nn.ReLU\n", "KB203"),
        (module_with("class T(torch.Tensor):\n    pass\n"), "KB204"),
        (module_with("class T((lambda: nn.Module)()):\n    pass\n"), "KB204"),
        (module_with("class T(dict):\n    pass\n"), "KB204"),
        (module_with("class T(nn.Module, metaclass=type):\n    pass\n"), "KB205"),
        (module_with("class T(nn.Module, **{}):\n    pass\n"), "KB205"),
        (module_with("def deco(f):\n    return f\n@deco\ndef g():\n    pass\n"), "KB206"),
        (module_with("@(lambda f: f)\ndef g():\n    pass\n"), "KB206"),
        (module_with("property = print\nclass A:\n    @property\n    def g(self):\n        pass\n"), "KB206"),
        (module_with("@torch.compile\ndef g():\n    pass\n"), "KB206"),
        (module_with("@torch.jit.script\ndef g():\n    pass\n"), "KB206"),
        (method_with("try:\n    y = x\nexcept:\n    y = F.relu(x)"), "KB207"),
        (method_with("try:\n    y = x\nexcept Exception:\n    return F.relu(x)"), "KB207"),
        (method_with("try:\n    y = x\nexcept* ValueError:\n    y = F.relu(x)"), "KB207"),
        (module_with("try:\n    ext = 1\nexcept ImportError:\n    ext = None\n"), "KB207"),
        (module_with("class A:\n    def __getattr__(self, n):\n        return n\n"), "KB208"),
        (module_with("class A:\n    def __del__(self):\n        pass\n"), "KB208"),
        (module_with("class A:\n    __torch_function__ = None\n"), "KB208"),
        (module_with("class A:\n    __eq__ = lambda self, o: True\n"), "KB208"),
        (module_with("def __getattr__(n):\n    return n\n"), "KB208"),
        (module_with("__builtins__ = {}\n"), "KB208"),
        (module_with("async def f():\n    pass\n"), "KB209"),
        (module_with("async def f(x):\n    await x\n    return [i async for i in x]\n"), "KB209"),
    ],
)
def test_structure_rejects(source: str, code: str) -> None:
    assert code in codes(source)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (method_with("self.a.b = 1"), "KB501"),
        (method_with("m = self.m\nm.conv1 = 1"), "KB501"),
        (method_with("m = self.m\nm.count += 1"), "KB501"),
        (method_with("x.data = y"), "KB501"),
        (method_with("x.grad, y = 1, 2"), "KB501"),
        (method_with("for x.i in [1]:\n    pass"), "KB501"),
        (method_with("with torch.no_grad() as x.i:\n    pass"), "KB501"),
        (method_with("[0 for x.i in [1]]"), "KB501"),
        (method_with("x.i: int = 3"), "KB501"),
        (module_with("torch.allclose = None\n"), "KB501"),
        (module_with("double_kernel.run = None\n"), "KB501"),
        (module_with("def f(self):\n    self.x = 1\n"), "KB501"),
        (module_with("class A:\n    @staticmethod\n    def f(self):\n        self.x = 1\n"), "KB501"),
        (module_with("class A:\n    @classmethod\n    def f(cls):\n        cls.x = 1\n"), "KB501"),
        (module_with("class A:\n    def f(ctx):\n        ctx.x = 1\n"), "KB501"),
        (module_with("class A:\n    @staticmethod\n    def f(ctx):\n        ctx.x = 1\n"), "KB501"),
        (method_with("del self.scale"), "KB502"),
        (method_with("del x.grad"), "KB502"),
        (method_with("self = torch.ones(1)"), "KB503"),
        (method_with("for self in [x]:\n    pass"), "KB503"),
        (method_with("(self := x)"), "KB503"),
        (module_with("import torch as self\n"), "KB503"),
        (module_with("f = lambda self: self\n"), "KB503"),
        (module_with("class A:\n    def f(x, self):\n        self.a = 1\n"), "KB503"),
        (module_with("match 1:\n    case self: pass\n"), "KB503"),
        (method_with("self._call_impl = x"), "KB504"),
        (method_with("self.parameters = x"), "KB504"),
        (module_with("class A(nn.Module):\n    parameters = lambda self: []\n"), "KB504"),
        (module_with("class A(nn.Module):\n    def state_dict(self):\n        return {}\n"), "KB504"),
    ],
)
def test_assignment_rejects(source: str, code: str) -> None:
    assert code in codes(source)


@pytest.mark.parametrize(
    "source",
    [
        module_with(FUNCTION),
        module_with(
            "class Block(nn.Module):\n    def __init__(self):\n        super(Block, self).__init__()\n"
            "class Big(Block):\n    def __init__(self):\n        nn.Module.__init__(self)\n"
        ),
        module_with("from torch import autograd\nclass S(autograd.Function):\n    pass\n"),
        module_with(
            "class A:\n    @property\n    def v(self):\n        return 1\n    @v.setter\n"
            "    def v(self, value):\n        self.u = value\n"
        ),
        module_with(
            "class A(nn.Sequential):\n    N = 3\n    @staticmethod\n    def f(x):\n        return x\n"
            "    @classmethod\n    def g(cls):\n        return cls.N\nA.f(1)\nA.g()\n"
        ),
        module_with("from dataclasses import dataclass\n@dataclass(frozen=True)\nclass C:\n    n: int = 1\n"),
        module_with(
            "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass C(Generic[T]):\n    pass\n"
        ),
        module_with("@torch.no_grad()\ndef f(x):\n    pass\n@torch.inference_mode()\ndef g(x):\n    pass\n"),
        method_with("self.count = 1\nself.count += 1\nself.a, self.b = 1, 2\nself.t: int = 3"),
        method_with("def inner(v):\n    self.last = v\n    return v\ninner(x)"),
        method_with("try:\n    y = x\nfinally:\n    self.done = True"),
        module_with(
            "class A:\n    def _f(self):\n        return self._g\n    _g = 1\n    def k(self):\n"
            "        return self._f() + A._g\n"
        ),
        module_with("__all__ = ['ModelNew']\n"),
    ],
)
def test_accepts(source: str) -> None:
    assert check(source)["violations"] == []


def test_exception_message_says_where() -> None:
    source = method_with("try:\n    y = x\nexcept RuntimeError:\n    y = x")
    found = check(source)["violations"]
    assert [(v["line"], v["column"]) for v in found] == [numbered(source, "except")]
    assert "in forward" in found[0]["message"]


@pytest.mark.parametrize(
    "source",
    [
        module_with("calls = 0\ndef f():\n    global calls\n    calls += 1\n"),
        module_with("def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n"),
    ],
)
def test_global_state_warns(source: str) -> None:
    assert codes(source) == set()
    assert warning_codes(source) == {"KB902"}
