"""Which kernels a source defines, in every spelling, and the rules about them."""

from __future__ import annotations

from typing import Any

import pytest
from static_check_support import MODEL, PREAMBLE, check, codes, module_with, native_with, warning_codes

NO_KERNEL = "import torch\nimport torch.nn as nn\n"
PLAIN_MODEL = "class ModelNew(nn.Module):\n    def forward(self, x):\n        return x\n"


def kernels(source: str, kind: str, device: str = "cuda") -> list[str]:
    """The qualified names of the kernels of one kind."""
    return [k["qualified"] for k in check(source, device)["kernels"] if k["kind"] == kind]


@pytest.mark.parametrize(
    "definition",
    [
        "import triton as tr\n@tr.jit\ndef k(x):\n    pass\n",
        "from triton import jit\n@jit\ndef k(x):\n    pass\n",
        "from triton import jit as j\n@j(do_not_specialize=['n'])\ndef k(x):\n    pass\n",
        "import triton\nfast = triton.jit\n@fast\ndef k(x):\n    pass\n",
        "from triton import autotune, heuristics, jit\n"
        "@autotune(configs=[], key=[])\n@heuristics({})\n@jit\ndef k(x):\n    pass\n",
        "import triton\nif True:\n    @triton.jit\n    def k(x):\n        pass\n",
        "import triton\ndef make():\n    @triton.jit\n    def k(x):\n        pass\n    return k\n",
        "import triton\ndef k(x):\n    pass\nkk = triton.jit(k)\n",
    ],
)
def test_triton_kernels_are_found(definition: str) -> None:
    report = check(NO_KERNEL + definition + PLAIN_MODEL)
    assert report["violations"] == []
    assert report["uses_triton"] is True
    assert [(k["name"], k["kind"]) for k in report["kernels"]] == [("k", "triton")]


def test_other_decorators_are_no_kernels() -> None:
    source = NO_KERNEL + "@torch.no_grad()\ndef k(x):\n    pass\n" + PLAIN_MODEL
    assert codes(source) == {"KB601"}
    assert codes(source, "cpu") == {"KB601"}


def test_the_line_of_a_kernel_is_its_def() -> None:
    source = PREAMBLE + MODEL
    (kernel,) = check(source)["kernels"]
    assert source.splitlines()[kernel["line"] - 1].startswith("def double_kernel(")


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("__global__ void k(int n) {}", ["k"]),
        ("static __global__ void k(int n) {}", ["k"]),
        ("void __global__ k(int n) {}", ["k"]),
        ('extern "C" __global__ void k(int n) {}', ["k"]),
        ('extern "C" {\n__global__ void k(int n) {}\n}', ["k"]),
        ("template <typename T, int N = (3 > 2)>\n__global__ void k(T* x) {}", ["k"]),
        ("template <> __global__ void k<float, 4>(float* x) {}", ["k"]),
        ("__global__ void __launch_bounds__(256, 2) k(int n) {}", ["k"]),
        ("__global__ __launch_bounds__(N * (2 + 1)) void k(int n) {}", ["k"]),
        ("__launch_bounds__(256) __global__ void k(int n) {}", ["k"]),
        ("__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(8) k(int n) {}", ["k"]),
        ("__global__ __attribute__((noinline)) void k(int n) {}", ["k"]),
        ("__global__ [[maybe_unused]] void k(int n) {}", ["k"]),
        ("__global__ MY_BOUNDS(3) void k(int n) {}", ["k"]),
        ("__global__ void\n  // a comment (here)\n  k(\n int n) {}", ["k"]),
        ("/* __global__ void dead(int) */ __global__ void k(int n) {}", ["k"]),
        ('const char* s = "__global__ void dead(int)"; __global__ void k(int n) {}', ["k"]),
        ('auto s = R"x(__global__ void dead(int) )" )x"; __global__ void k(int n) {}', ["k"]),
        ("namespace a { namespace b::c {\n__global__ void k(int n) { if (n) { } }\n} }", ["a::b::c::k"]),
        ("namespace { __global__ void k(int n) {} }\n__global__ void j(int n) {}", ["k", "j"]),
        ("namespace a { void f() {} }\n__global__ void k(int n) {}", ["k"]),
        ("__global__ void ns::k(int n) {}", ["ns::k"]),
        ("__global__ std::enable_if_t<(sizeof(int) > 2), void> k(int n) {}", ["k"]),
        ("#define KERNEL __global__ void\nKERNEL k(int n) {}", ["k"]),
        ("__global__ void k(int n);\n__global__ void k(int n) {}", ["k"]),
        ("__global\\\n__ void k(int n) {}", ["k"]),
        ("__global__ void k(int n) noexcept {}\nint main(int a) {}", ["k"]),
        ("__global__", []),
        ("__global__ void k", []),
        ("__global__ void (((((", []),
        ("__global__ void k<<<<<<", []),
    ],
)
def test_cuda_kernels_are_found(code: str, names: list[str]) -> None:
    source = f"{NO_KERNEL}CODE = {code!r}\n{PLAIN_MODEL}"
    assert sorted(kernels(source, "cuda")) == sorted(names)
    assert ("KB601" in codes(source)) == (not names)


@pytest.mark.parametrize(
    "expression",
    [
        "'__global__ void ' 'k(int n) {}'",
        "('__global__ void '\n 'k(int n) {}')",
        "'__global__ void ' + NAME + '(int n) {}'",
        "f'__global__ void {NAME}(int n) {{ int a = {4}; }}'",
        "'__global__ void XX(int n) {}'.replace('XX', NAME)",
        "''.join(['__global__ void ', NAME, '(int n) {}'])",
        "textwrap.dedent('  __global__ void k(int n) {}')",
    ],
)
def test_cuda_sources_are_read_through_literals(expression: str) -> None:
    source = (
        f"{NO_KERNEL}import textwrap\nfrom torch.utils.cpp_extension import load_inline\nNAME = 'k'\n"
        f"SOURCE = {expression}\next = load_inline(name='e', cpp_sources=[''], cuda_sources=[SOURCE])\n"
        f"{PLAIN_MODEL}"
    )
    report = check(source)
    assert report["violations"] == []
    assert report["uses_load_inline"] is True
    assert "k" in [k["name"] for k in report["kernels"]]


def cpu_report(call: str, cpp: str = "#include <torch/extension.h>") -> dict[str, Any]:
    """The report for the CPU on a candidate that makes `call`."""
    source = (
        f"{NO_KERNEL}from torch.utils.cpp_extension import load_inline\nS = {cpp!r}\n{call}\n{PLAIN_MODEL}"
    )
    return check(source, "cpu")


@pytest.mark.parametrize(
    ("functions", "names"),
    [
        ("['f', 'g']", ["f", "g"]),
        ("'f'", ["f"]),
        ("('f',)", ["f"]),
        ("{'f': 'doc'}", ["f"]),
        ("NAMES", ["f"]),
    ],
)
def test_cpp_functions_are_found(functions: str, names: list[str]) -> None:
    report = cpu_report(f"NAMES = ['f']\ne = load_inline(name='e', cpp_sources=S, functions={functions})")
    assert report["violations"] == []
    assert [(k["name"], k["kind"]) for k in report["kernels"]] == [(name, "cpp") for name in names]


def test_pybind_exports_are_found() -> None:
    cpp = (
        "#include <torch/extension.h>\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n"
        '  m.def( "f", &f); // m.def("g")\n}'
    )
    report = cpu_report("e = load_inline(name='e', cpp_sources=S)", cpp)
    assert [k["name"] for k in report["kernels"]] == ["f"]
    assert report["ok"]


def test_cpp_functions_count_on_the_cpu_only() -> None:
    call = "e = load_inline(name='e', cpp_sources=S, functions=['f'])"
    source = f"{NO_KERNEL}from torch.utils.cpp_extension import load_inline\nS = ''\n{call}\n{PLAIN_MODEL}"
    assert codes(source, "cuda") == {"KB601"}
    assert codes(source, "cpu") == set()


def named(name: str) -> str:
    """A candidate with an own Triton kernel of that name, which is used."""
    return module_with(f"@triton.jit\ndef {name}(x):\n    pass\nuse = {name}\n")


def test_library_names() -> None:
    assert codes(named("vectorized_elementwise_kernel")) == {"KB602"}
    assert codes(native_with("namespace at::native { __global__ void elementwise_kernel(int n) {} }")) == {
        "KB602"
    }
    for name in (
        "ampere_sgemm_mine",
        "sm90_xmma_gemm",
        "triton_poi_fused_add_0",
        "cutlass_kernel",
        "nvjet_x",
    ):
        assert codes(named(name)) == set()
        assert warning_codes(named(name)) == {"KB903"}
    for name in ("gemm_kernel", "reduce_kernel", "softmax_kernel", "sm_kernel", "at_kernel_2"):
        assert (codes(named(name)), warning_codes(named(name)) - {"KB903"}) == (set(), set())
    assert warning_codes(named("gemm_kernel")) == set()


def test_unreferenced_kernel_warns() -> None:
    source = module_with("@triton.jit\ndef never(x):\n    pass\n")
    assert codes(source) == set()
    assert warning_codes(source) == {"KB901"}
    assert warning_codes(PREAMBLE + MODEL) == set()
