"""load_inline calls, build flags and the text of native sources."""

from __future__ import annotations

import pytest
from static_check_support import check, codes, module_with, native_with, numbered, warning_codes


def call_with(arguments: str) -> str:
    """A candidate whose load_inline call has further arguments."""
    return native_with("", f'load_inline(name="ext", cpp_sources="", cuda_sources=SOURCE, {arguments})')


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (module_with("build = load_inline\n"), "KB701"),
        (module_with("builders = [load_inline]\n"), "KB701"),
        (module_with("import functools\nb = functools.partial(load_inline, name='a')\n"), "KB701"),
        (native_with("", "load_inline(**{'name': 'a'})"), "KB701"),
        (native_with("", "load_inline(*['a', '', SOURCE])"), "KB701"),
        (call_with("functions=[f'{NAME}']"), "KB701"),
        (call_with("build_directory='/tmp/x'"), "KB702"),
        (call_with("extra_include_paths=['/usr/include']"), "KB702"),
        (call_with("is_python_module=False"), "KB702"),
        (call_with("extra_cflags=FLAGS"), "KB703"),
        (call_with("extra_cflags='-O3'"), "KB703"),
        (call_with("extra_cflags=['-' + NAME]"), "KB703"),
        (native_with("", "load_inline(name='a', cpp_sources='', cuda_sources=make())"), "KB704"),
        (native_with("", "load_inline(name='a', cpp_sources='', cuda_sources=SOURCE % 1)"), "KB704"),
        (
            module_with("def b(s):\n    return load_inline(name='a', cpp_sources='', cuda_sources=s)\n"),
            "KB704",
        ),
        (module_with("S = ''\nS = 'b'\ne = load_inline(name='a', cpp_sources=S)\n"), "KB704"),
        (native_with("", "load_inline(name='json', cpp_sources='', cuda_sources=SOURCE)"), "KB705"),
        (native_with("", "load_inline(name='kbeval_native', cpp_sources='', cuda_sources=SOURCE)"), "KB705"),
        (native_with("", "load_inline(name='../x', cpp_sources='', cuda_sources=SOURCE)"), "KB705"),
        (native_with("", "load_inline(name=f'e{NAME}', cpp_sources='', cuda_sources=SOURCE)"), "KB705"),
    ],
)
def test_build_rejects(source: str, code: str) -> None:
    assert code in codes(source)


@pytest.mark.parametrize(
    "flag",
    [
        "-include/etc/passwd",
        "-I/usr",
        "-L/tmp",
        "-lcrypt",
        "-fplugin=x.so",
        "-B/tmp",
        "-wrapper",
        "@file",
        "-ccbin=sh",
        "-run",
        "-Xcompiler=-fplugin=x",
        "-Wl,-rpath,/tmp",
        "-Wa,x",
        "-Wp,-MD,/tmp/x",
        "-o",
        "/tmp/x.so",
        "x.o",
        "-DA=`id`",
        "-DA=$(id)",
        "-DA;id",
        "-O3;id",
        "-O3 -I/tmp",
        "-specs=x",
        "-T",
        "-save-temps",
        "-keep",
        "--dryrun",
        "-D",
        "-MF",
        "-x",
        "-Xlinker",
        "--compiler-bindir=/tmp",
        "-dlink",
        "-std=c++17\n-I/tmp",
    ],
)
def test_flags_reject(flag: str) -> None:
    for name in ("extra_cflags", "extra_cuda_cflags", "extra_ldflags"):
        assert codes(call_with(f"{name}=[{flag!r}]")) == {"KB703"}


@pytest.mark.parametrize(
    "flags",
    [
        ["-O3", "-std=c++17", "-DNDEBUG", "-DBLOCK=128", "-UDEBUG"],
        ["-O3", "--use_fast_math", "-lineinfo", "-use_fast_math"],
        ["-arch=sm_90a", "-gencode=arch=compute_90a,code=sm_90a", "-gencode", "arch=compute_80,code=sm_80"],
        ["--expt-relaxed-constexpr", "--expt-extended-lambda", "-maxrregcount=64", "--maxrregcount", "128"],
        ["-Xptxas", "-O3", "--ptxas-options=-v", "-Xcompiler", "-fopenmp"],
        ["-march=native", "-ffast-math", "-fopenmp", "-Wno-unused", "-mavx2"],
        [""],
        [],
    ],
)
def test_flags_accept(flags: list[str]) -> None:
    assert codes(call_with(f"extra_cflags={flags!r}, extra_cuda_cflags={flags!r}, verbose=True")) == set()


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ('#include "/etc/passwd"', "KB801"),
        ("#include </etc/passwd>", "KB801"),
        ('#include "../x.h"', "KB801"),
        ("#include <torch/../../x.h>", "KB801"),
        ("#include <unistd.h>", "KB801"),
        ("#include <sys/mman.h>", "KB801"),
        ("#include <dlfcn.h>", "KB801"),
        ("#include <thread>", "KB801"),
        ("#include <fstream>", "KB801"),
        ("#include <cutlass/gemm.h>", "KB801"),
        ("#include <cublas_v2.h>", "KB801"),
        ("#include <cupti.h>", "KB801"),
        ("#define H <x.h>\n#include H", "KB801"),
        ("#/* a */include <unistd.h>", "KB801"),
        ("  #  include\\\n <unistd.h>", "KB801"),
        ('void f() { system("id"); }', "KB802"),
        ("void f() { ::fork(); }", "KB802"),
        ("void f() { sys\\\ntem(0); }", "KB802"),
        ("void f() { open(0, 0); }", "KB802"),
        ("void f() { std::raise(9); }", "KB802"),
        ("void f() { return :: rename(a, b); }", "KB802"),
        ("auto f = &dlsym;", "KB802"),
        ("void f() { std::thread t; }", "KB802"),
        ("void f() { std :: ofstream t; }", "KB802"),
        ('void f() { py::exec("1"); }', "KB802"),
        ("void f() { cudaDeviceReset(); }", "KB802"),
        ("cudaLaunchAttributeValue v; auto& w = v.accessPolicyWindow;", "KB802"),
        ("void f() { cuptiActivityFlushAll(1); }", "KB802"),
        ("void f() { execve(0, 0, 0); }", "KB802"),
        ("__attribute__((constructor)) void f() {}", "KB803"),
        ("__attribute__ ( ( __constructor__(101) ) ) void f() {}", "KB803"),
        ("[[gnu::constructor]] void f() {}", "KB803"),
        ('__attribute__((section(".init_array"))) void* f;', "KB803"),
        ('asm(".incbin \\"/etc/passwd\\"");', "KB804"),
        ('__asm__(".section .init_array");', "KB804"),
        ('void f() { asm volatile("syscall"); }', "KB804"),
        ('#pragma GCC plugin "x"', "KB805"),
        ("#pragma push_macro", "KB805"),
        ('_Pragma("GCC poison a")', "KB805"),
        ("#import <x>", "KB806"),
        ("#include_next <math.h>", "KB806"),
        ('#line 1 "x"', "KB806"),
        ("#embed </etc/passwd>", "KB806"),
        ("%:include <unistd.h>", "KB806"),
        ('#if __has_include("/etc/passwd")\n#endif', "KB806"),
    ],
)
def test_native_rejects(lines: str, code: str) -> None:
    escaped = lines.replace("\\", "\\\\").replace('"""', "'''")
    assert code in codes(native_with(escaped))


@pytest.mark.parametrize(
    "lines",
    [
        "#include <ATen/cuda/CUDAContext.h>\n#include <c10/cuda/CUDAGuard.h>\n#include <cub/cub.cuh>",
        "#include <cooperative_groups.h>\n#include <mma.h>\n#include <cuda_fp16.h>\n#include <vector>",
        "#define BLOCK 128\n#ifdef X\n#else\n#endif\n#pragma unroll 4\n#pragma once",
        "// system(1) fork() #include <unistd.h>\n/* dlopen */",
        'TORCH_CHECK_ARGS("cannot open the file; system");',
        '__device__ int f() { int r; asm volatile("mov.u32 %0, %laneid;" : "=r"(r)); return r; }',
        '__device__ void g(void* p) { asm("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(1), "l"(p)); }',
        '__device__ void h(float* p) { float v; asm("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(p)); }',
        "struct S { int open; }; void f(S& s, Q* q) { q->raise(); s.open = 1; }",
        "__global__ void __launch_bounds__(256) k2(int n) { __syncthreads(); }",
        "void f() { auto stream = at::cuda::getCurrentCUDAStream(); (void)stream; }",
        "__attribute__((aligned(16))) float a[4];",
        "void f() { auto a = torch::clone(x), b = y.clone(), c = at :: rename(z); }",
        "int a = 1'000'000; char c = '\\\\n';",
    ],
)
def test_native_accepts(lines: str) -> None:
    assert check(native_with(lines))["violations"] == []


def test_native_places_are_exact_in_plain_strings() -> None:
    source = native_with("#include <unistd.h>\nvoid f() { fork(); }")
    found = check(source)["violations"]
    assert [(v["line"], v["column"]) for v in found] == [
        numbered(source, "#include <unistd.h>"),
        numbered(source, "fork()"),
    ]


def test_strings_are_read_once() -> None:
    source = native_with("void f() { fork(); }")
    assert len(check(source)["violations"]) == 1


def test_native_strings_count_wherever_they_stand() -> None:
    assert "KB801" in codes(module_with("x = {'a': ['#include <unistd.h>']}\n"))
    assert codes(module_with("def f():\n    '''Uses #include <unistd.h>.'''\n")) == set()


def test_library_calls_warn() -> None:
    for call in ("at::matmul(a, b)", "torch::conv2d(a, b)", "cublasSgemm(h)"):
        source = native_with(f"void f() {{ {call}; }}")
        assert codes(source) == set()
        assert warning_codes(source) == {"KB904"}
