"""Imports, names, builtins and attributes: spellings that lead to something forbidden, and what must pass."""

from __future__ import annotations

import pytest
from static_check_support import check, codes, method_with, module_with, numbered

REJECTED_AT_MODULE_LEVEL = [
    ("import os", "KB301"),
    ("import einops", "KB301"),
    ("import sys as math", "KB301"),
    ("import torch.utils.data", "KB301"),
    ("import torch.distributed as dist", "KB301"),
    ("import triton.runtime", "KB301"),
    ("import gc, threading", "KB301"),
    ("from os import path", "KB301"),
    ("from triton.runtime import driver", "KB301"),
    ("from operator import attrgetter", "KB301"),
    ("from . import helper", "KB302"),
    ("from .. import *", "KB302"),
    ("from torch import *", "KB303"),
    ("from torch import os", "KB401"),
    ("from torch import os as nothing", "KB401"),
    ("from torch.utils import data", "KB401"),
    ("from torch.utils.cpp_extension import load", "KB401"),
    ("from typing import sys", "KB401"),
    ("from functools import lru_cache", "KB401"),
    ("from torch import compile as c", "KB401"),
    ("torch.os.system('x')", "KB401"),
    ("torch.sys.modules", "KB401"),
    ("torch.nn.functional.torch.os", "KB401"),
    ("t = torch\nt.os", "KB401"),
    ("t = torch\nu = t\nv = u.os", "KB401"),
    ("import typing\ntyping.sys.exit()", "KB401"),
    ("triton.runtime.driver.active", "KB401"),
    ("triton.compile", "KB401"),
    ("torch.compile(nn.ReLU())", "KB401"),
    ("torch.jit.script", "KB401"),
    ("torch.hub.load('a', 'b')", "KB401"),
    ("torch.load('x')", "KB401"),
    ("torch.save(1, 'x')", "KB401"),
    ("torch.ops.load_library('x')", "KB401"),
    ("torch._C", "KB401"),
    ("torch.backends.cuda.matmul", "KB401"),
    ("torch.backends.cudnn.benchmark = True", "KB401"),
    ("torch.set_default_dtype(torch.float16)", "KB401"),
    ("torch.set_float32_matmul_precision('high')", "KB401"),
    ("torch.use_deterministic_algorithms(True)", "KB401"),
    ("torch.set_num_threads(1)", "KB401"),
    ("torch.manual_seed(0)", "KB401"),
    ("torch.cuda.synchronize()", "KB401"),
    ("torch.cuda.Event(enable_timing=True)", "KB401"),
    ("torch.Event", "KB401"),
    ("torch.cuda.CUDAGraph()", "KB401"),
    ("torch.profiler.profile()", "KB401"),
    ("torch.autograd.profiler.profile()", "KB401"),
    ("torch.testing.assert_close", "KB401"),
    ("torch.multiprocessing.spawn", "KB401"),
    ("torch.distributed.init_process_group", "KB401"),
    ("torch.utils.data.DataLoader", "KB401"),
    ("torch.utils.cpp_extension.load(name='a', sources=[])", "KB401"),
    ("torch.nn.modules.module.register_module_forward_hook", "KB401"),
    ("torch.overrides.TorchFunctionMode", "KB401"),
    ("getattr(torch, 'os')", "KB401"),
    ("getattr(getattr(torch, 'nn'), 'modules')", "KB401"),
    ("(torch if 1 else math).os", "KB404"),
    ("if 0:\n    a = b\na = torch\nb = a\nb.os", "KB401"),
    ("if 0:\n    a = b.nn\nb = torch\nc = a\nb = c\nc.modules", "KB401"),
    ("p = print\nfor q in [p]:\n    q.__self__", "KB406"),
    ("eval('1')", "KB402"),
    ("exec('1')", "KB402"),
    ("compile('1', 'a', 'exec')", "KB402"),
    ("globals()", "KB402"),
    ("e = eval", "KB402"),
    ("[e for e in [exec]]", "KB402"),
    ("[eval('1') for eval in [eval]]", "KB402"),
    ("def f(g=getattr): return g", "KB403"),
    ("def f(g=eval): return g", "KB402"),
    ("if 0:\n    eval = 1\neval('1')", "KB402"),
    ("setattr(torch, 'x', 1)", "KB402"),
    ("delattr(nn, 'x')", "KB402"),
    ("open('/etc/passwd')", "KB402"),
    ("__import__('os')", "KB402"),
    ("__builtins__", "KB402"),
    ("__loader__", "KB402"),
    ("vars(torch)", "KB402"),
    ("dir()", "KB402"),
    ("locals()", "KB402"),
    ("id(torch.ones(1))", "KB402"),
    ("memoryview(b'')", "KB402"),
    ("breakpoint()", "KB402"),
    ("input()", "KB402"),
    ("f'{eval(1)}'", "KB402"),
    ("print(open)", "KB402"),
    ("g = getattr", "KB403"),
    ("getattr(math, '_x')", "KB403"),
    ("getattr(math, '__' + 'dict__')", "KB403"),
    ("name = 'sqrt'\ngetattr(math, name)", "KB403"),
    ("getattr(*[math, 'sqrt'])", "KB403"),
    ("list(map(getattr, [1], ['x']))", "KB403"),
    ("x = [torch]", "KB404"),
    ("def f(m=torch): return m", "KB404"),
    ("f = lambda: torch", "KB404"),
    ("(t := torch)", "KB404"),
    ("class Box:\n    t = torch", "KB404"),
    ("[m for m in [torch]]", "KB404"),
    ("x = [getattr(torch, 'nn')]", "KB404"),
    ("class A:\n    t = getattr(torch, 'nn')", "KB404"),
    ("class A:\n    import torch as q\nA.q.load", "KB404"),
    ("class A:\n    from torch import nn as q\nA.q.modules", "KB404"),
    ("raise SystemExit(0)", "KB402"),
    ("[torch.os for torch in [torch]]", "KB404"),
    ("a, b = torch, 1", "KB404"),
    ("print(nn.functional)", "KB404"),
    ("x = torch.ones(1)._version", "KB405"),
    ("double_kernel._x", "KB405"),
    ("().__class__", "KB406"),
    ("(lambda: 0).__globals__", "KB406"),
    ("torch.Tensor.__add__", "KB406"),
    ("f = nn.Module.__init__", "KB406"),
    ("object.__subclasses__()", "KB406"),
    ("match 1:\n    case int(__class__=c): pass", "KB406"),
    ("match 1:\n    case torch.os.path: pass", "KB401"),
    ("(x for x in []).gi_frame", "KB407"),
    ("f = triton.cdiv\nf.func_globals", "KB407"),
    ("double_kernel.fn.os", "KB407"),
    ("s = super", "KB408"),
    ("'{0.x}'.format(1)", "KB409"),
    ("'{}'.format", "KB409"),
    ("f = 'a'\nf.format(1)", "KB409"),
    ("type('A', (), {})", "KB410"),
    ("type(1).mro", "KB407"),
    ("type(torch.ones(1))()", "KB410"),
    ("t = type", "KB410"),
    ("class A:\n    def put(self, v):\n        self.x = v\nA.put(torch.Tensor, 1)", "KB411"),
    ("class A:\n    def put(self, v):\n        self.x = v\nB = A\nB.put(torch.Tensor, 1)", "KB411"),
    ("nn.ReLU().compile()", "KB407"),
    ("torch.ones(1).numpy().ctypes", "KB407"),
]


@pytest.mark.parametrize(("statements", "code"), REJECTED_AT_MODULE_LEVEL)
def test_rejects(statements: str, code: str) -> None:
    assert code in codes(module_with(statements + "\n"))


@pytest.mark.parametrize(
    ("statements", "code"),
    [
        ("import os", "KB301"),
        ("t = torch\nt.os", "KB401"),
        ("w = self.weight._version", "KB405"),
        ("self.__class__", "KB406"),
        ("self.__dict__['a'] = 1", "KB406"),
        ("f = super()", "KB408"),
        ("super().__setattr__('a', 1)", "KB406"),
        ("getattr(self, f'w_{1}')", "KB403"),
        ("self._call_impl(x)", "KB405"),
    ],
)
def test_rejects_in_forward(statements: str, code: str) -> None:
    assert code in codes(method_with(statements))


@pytest.mark.parametrize(
    "statements",
    [
        "from torch import nn, Tensor\nfrom typing import Optional, List",
        "from __future__ import annotations",
        "import torch.utils.cpp_extension\next_load = 1",
        "from torch.utils import cpp_extension",
        "from triton import jit, cdiv",
        "from triton.tools.tensor_descriptor import TensorDescriptor\ntriton.set_allocator(None)",
        "from triton.language.extra import libdevice",
        "from collections import OrderedDict\nfrom dataclasses import dataclass",
        "import functools\nadd = functools.partial(max, 1)",
        "Fn = torch.nn.functional\nFn.relu(torch.ones(1))",
        "tlm = tl\nx = tlm.float32",
        "SHAPE = torch.Size((1, 2))\nD = torch.float32\nE = torch.device('cpu')",
        "def f(x: torch.Tensor) -> torch.Tensor:\n    return torch.trace(x)",
        "def f(input, id, compile):\n    return input + id + compile",
        "def f():\n    vars = 1\n    return [vars for dir in [2] if dir]",
        "def helper(F, H, W):\n    return F * H * W",
        "F2 = torch.fft.rfft(torch.ones(4))\nL = torch.linalg.norm(F2)",
        "p = torch.cuda.get_device_properties(0)\nc = torch.cuda.current_stream()",
        "x = torch.ops.aten.mm.default",
        "grid = lambda meta: (triton.cdiv(8, meta['B']),)",
        "print('hello', f'{math.pi:.3f}', '{:>3}'.format(2))",
        "ok = type(1) is int and isinstance(1, int)",
        "def f(m):\n    return getattr(m, 'bias', None), hasattr(m, 'weight')",
        "if __name__ == '__main__':\n    print(1)",
        "while True:\n    break",
        "_CACHE = {}\ndef _helper():\n    return _CACHE",
        "with torch.no_grad():\n    y = torch.select(torch.ones(2, 2), 0, 0)",
        "x = torch.ones(1).data.data_ptr()",
        "_, a = (1, 2)",
        "with torch.autocast('cuda', enabled=False):\n    pass",
    ],
)
def test_accepts(statements: str) -> None:
    assert check(module_with(statements + "\n"))["violations"] == []


@pytest.mark.parametrize(
    "statements",
    [
        "self._cached = x\ny = self._cached",
        "F = x.shape[0]\nG = F * 2",
        "bias = getattr(self, 'bias')",
        "w = self.lin.weight if self.training else None",
        "input = x\nx = input",
        "out = x\nout[..., 0] = 1.0\nout[0] += 2",
    ],
)
def test_accepts_in_forward(statements: str) -> None:
    assert check(method_with(statements))["violations"] == []


def test_place_is_line_and_column_from_one() -> None:
    source = module_with("value = 1 + torch.os.getpid()\n")
    found = check(source)["violations"]
    assert [(v["line"], v["column"]) for v in found] == [numbered(source, "torch.os")]
    assert found[0]["message"] == "'torch.os' is not allowed"
    assert found[0]["rule"] == "name-not-allowed"


def test_one_report_for_one_chain() -> None:
    assert len(check(module_with("torch.os.path.join('a', 'b')\n"))["violations"]) == 1


def test_messages_agents_know() -> None:
    def first(source: str) -> str:
        return str(check(source)["violations"][0]["message"])

    assert first(method_with("m = self.m\nm.conv1 = x")) == (
        "assignment to attribute 'm.conv1' is not allowed (only self.<x>)"
    )
    assert first(method_with("getattr(self, x)")) == "getattr needs a literal, non-private attribute name"
    assert first(module_with("class Model(nn.Module):\n    pass\n")) == (
        "do not define Model (the reference); define ModelNew only"
    )
