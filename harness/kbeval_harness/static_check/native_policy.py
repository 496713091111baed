"""What native sources and their build may contain: headers, names, pragmas, flags. A first layer only.

Compiled code can run any machine code, so nothing here contains it: the sandbox of the candidate's process
does.
"""

from __future__ import annotations

import re

from kbeval_harness.static_check.policy import words

_STANDARD_HEADERS = words("""
    algorithm array atomic bit bitset cassert cfloat climits cmath complex concepts cstddef cstdint cstdio
    cstdlib cstring exception functional initializer_list iomanip iostream iterator limits map memory mutex
    numbers numeric optional queue random ranges set span sstream stdexcept string string_view tuple
    type_traits
    unordered_map unordered_set utility variant vector
    assert.h float.h limits.h math.h stddef.h stdint.h stdio.h stdlib.h string.h
    immintrin.h xmmintrin.h emmintrin.h smmintrin.h avxintrin.h arm_neon.h omp.h
""")

_CUDA_HEADERS = words("""
    cooperative_groups.h cooperative_groups/reduce.h cooperative_groups/scan.h
    cooperative_groups/memcpy_async.h
    cuda.h cuda_runtime.h cuda_runtime_api.h cuda_fp16.h cuda_fp8.h cuda_bf16.h cuda_pipeline.h
    cuda_awbarrier.h
    cuda_pipeline_primitives.h device_launch_parameters.h device_functions.h math_constants.h vector_types.h
    vector_functions.h mma.h sm_90_rt.h crt/mma.h builtin_types.h cuComplex.h curand_kernel.h
    cuda/barrier cuda/pipeline cuda/ptx cuda/atomic cuda/functional cuda/type_traits cuda/std/array
    cuda/std/cmath
    cuda/std/cstdint cuda/std/limits cuda/std/tuple cuda/std/type_traits cuda/std/utility cuda/std/complex
    cudaTypedefs.h
""")

_TORCH_HEADER = re.compile(r"(?:torch|ATen|c10|cub|thrust)/(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+\.(?:h|cuh|hpp)")


def is_allowed_header(name: str) -> bool:
    """Whether `#include <name>` is accepted."""
    return name in _STANDARD_HEADERS or name in _CUDA_HEADERS or _TORCH_HEADER.fullmatch(name) is not None


FORBIDDEN_NAMES = words("""
    system popen pclose fork vfork clone execl execlp execle execv execvp execve execvpe fexecve posix_spawn
    posix_spawnp wordexp kill raise _exit _Exit quick_exit atexit at_quick_exit on_exit signal sigaction
    ptrace process_vm_readv process_vm_writev syscall prctl
    dlopen dlmopen dlsym dlvsym dladdr dl_iterate_phdr mmap mmap64 mprotect munmap mremap shm_open shmget
    shmat
    memfd_create open open64 openat creat fopen freopen fdopen tmpfile unlink rename chmod socket connect
    sendto recvfrom setenv putenv unsetenv getenv secure_getenv setrlimit sched_setaffinity
    setpriority pthread_create thrd_create jthread
    cudaDeviceReset cudaDeviceSetLimit cudaCtxResetPersistingL2Cache cudaStreamSetAttribute
    cuStreamSetAttribute
    cudaAccessPolicyWindow accessPolicyWindow cudaAccessPropertyPersisting cudaLimitPersistingL2CacheSize
    cudaDeviceSetSharedMemConfig cudaIpcGetMemHandle cudaIpcOpenMemHandle cudaIpcGetEventHandle
    cudaIpcOpenEventHandle cuIpcGetMemHandle cuIpcOpenMemHandle cudaLaunchHostFunc cuLaunchHostFunc
    cudaStreamAddCallback cuStreamAddCallback cudaProfilerStart cudaProfilerStop cudaGetDriverEntryPoint
    cudaGetDriverEntryPointByVersion cuGetProcAddress cuGetProcAddress_v2 cuModuleLoad cuModuleLoadData
    cuModuleLoadDataEx cuLibraryLoadData cuLibraryLoadFromFile cudaLibraryLoadData cudaLibraryLoadFromFile
    cuCtxSetLimit cuCtxDestroy cuDevicePrimaryCtxReset
    setDeterministicAlgorithms setAllowTF32CuBLAS setAllowTF32CuDNN setFloat32MatmulPrecision set_num_threads
    setBenchmarkCuDNN PyRun_SimpleString PyRun_String PyImport_ImportModule PyImport_Import
    __libc_start_main environ __environ
""")
"""Names that no native source may hold as a word. Most are functions of the C library or of the CUDA
runtime.
"""

FORBIDDEN_MEMBERS = re.compile(
    r"\bstd\s*::\s*(?:thread|jthread|async|system|filesystem|ofstream|ifstream|fstream|chrono)\b"
    r"|\bpy(?:bind11)?\s*::\s*(?:exec|eval|eval_file|module_|module|globals)\b"
    r"|\btorch\s*::\s*jit\b|\b(?:cupti|nvml|nvperf)\w+",
    re.IGNORECASE,
)

# As plain words these are common names of variables and members: refused only where they are called
# unqualified.
CALL_ONLY_NAMES = words("open raise signal kill connect rename clone socket")

LOAD_TIME = re.compile(
    r"__attribute__\s*\(\s*\([^;{}]{0,200}?\b(?:_*constructor_*|_*destructor_*|_*ifunc_*|_*alias_*|_*section_*|_*weakref_*)\b"
    r"|\[\[\s*(?:gnu|__gnu__)\s*::\s*_*(?:constructor|destructor|ifunc|alias|section)_*"
    r"|\binit_priority\b|\b_init\s*\(|\b_fini\s*\(",
)

ASSEMBLY = re.compile(
    r"\.\s*(?:incbin|include|section|pushsection|popsection|previous|globl|global_?\s+_|type|set|init_array|fini_array"
    r"|text|data|quad|long\s+0x|byte|symver|weak)\b"
    r"|\bsyscall\b|\bsysenter\b|\bint\s+\$?0x80\b",
)
"""Looked for in the string literals of `asm` only. PTX's `.global` state space is written in instructions,
`ld.global`.
"""

ALLOWED_PRAGMA = re.compile(
    r"(?:unroll|nounroll|once|omp|GCC\s+(?:unroll|ivdep)|clang\s+loop|nv_\w+|diag_\w+|nv_exec_check_disable|STDC\s+FP_CONTRACT)\b"
)

LIBRARY_CALL = re.compile(
    r"\b(?:cublas|cublasLt|cudnn|cusparse|cusolver|cufft)\w*\s*\("
    r"|\b(?:at|torch)\s*::\s*(?:native\s*::\s*)?(?:matmul|mm|bmm|addmm|baddbmm|linear|conv\w*|convolution\w*|softmax|log_softmax"
    r"|layer_norm|batch_norm|group_norm|einsum|lstm|gru|scaled_dot_product_attention|max_pool\w*|avg_pool\w*|mv|dot)\s*\("
)

_SAFE_FLAGS = re.compile(
    r"-O[0-3s]|-Ofast|-g[0-3]?|-G|-w|-v"
    r"|-?-std=(?:c|gnu)\+\+(?:14|17|20|23)"
    r"|-?-use_fast_math|-lineinfo|--generate-line-info|-?-extra-device-vectorization|-?-restrict"
    r"|-?-expt-(?:relaxed-constexpr|extended-lambda)|-?-extended-lambda"
    r"|-?-(?:ftz|prec-div|prec-sqrt|fmad)=(?:true|false)"
    r"|-?-maxrregcount[= ]?\d{1,3}|-?-threads[= ]?\d{1,2}|-?-split-compile[= ]?\d{1,2}"
    r"|-?-(?:arch|gpu-architecture|code|gpu-code)[= ](?:sm|compute|lto)_\d{2,3}[af]?"
    r"|-?-(?:gencode|generate-code)[= ]arch=compute_\d{2,3}[af]?,code=\[?(?:sm|compute)_\d{2,3}[af]?"
    r"(?:,(?:sm|compute)_\d{2,3}[af]?)*\]?"
    r"|-(?:D|U)[A-Za-z_]\w*(?:=[\w.+-]{0,64})?"
    r"|-m(?:arch|tune)=[a-z0-9-]+|-m(?:avx2?|avx512[a-z0-9]*|fma|sse4\.[12]|f16c)"
    r"|-f(?:openmp|fast-math|no-math-errno|unroll-loops|tree-vectorize|no-trapping-math|associative-math|finite-math-only"
    r"|strict-aliasing|no-strict-aliasing|PIC|permissive)"
    r"|-fopenmp|-W(?:all|extra|no-[a-z0-9-]+)|-lineinfo|-?-ptxas-options=(?:-v|-O[0-3]|-dlcm=c[ag])"
    r"|-Xptxas=(?:-v|-O[0-3]|-dlcm=c[ag])|-diag-suppress[= ]?\d+|-?-(?:diag-suppress)[= ]?\d+"
    r"|-lgomp|-lcudart|-lm"
)

# Flags whose value is the next element of the list.
_PAIRED_FLAGS = {
    "-Xptxas": re.compile(r"-v|-O[0-3]|-dlcm=c[ag]|-warn-spills|--warn-on-spills"),
    "--ptxas-options": re.compile(r"-v|-O[0-3]|-dlcm=c[ag]"),
    "-gencode": re.compile(r"arch=compute_\d{2,3}[af]?,code=\[?(?:sm|compute)_\d{2,3}[af]?\]?"),
    "-arch": re.compile(r"(?:sm|compute)_\d{2,3}[af]?"),
    "-Xcompiler": re.compile(r"-O[0-3]|-fopenmp|-march=native|-ffast-math|-fPIC|-w|-Wall"),
    "-maxrregcount": re.compile(r"\d{1,3}"),
    "--maxrregcount": re.compile(r"\d{1,3}"),
    "-std": re.compile(r"c\+\+(?:14|17|20|23)"),
}


def refused_flags(flags: list[str]) -> list[int]:
    """The indexes of the flags that are not on the list."""
    refused: list[int] = []
    index = 0
    while index < len(flags):
        pattern = _PAIRED_FLAGS.get(flags[index])
        if pattern is not None:
            if index + 1 >= len(flags) or not pattern.fullmatch(flags[index + 1]):
                refused.append(index)
            index += 2
            continue
        if flags[index] and not _SAFE_FLAGS.fullmatch(flags[index]):
            refused.append(index)
        index += 1
    return refused
