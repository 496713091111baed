"""Triton kernels, and the rules about kernels as a whole: KB601, KB602, KB901 and KB903."""

from __future__ import annotations

import ast
import re
from collections import Counter

from kbeval_harness.static_check.names import Names
from kbeval_harness.static_check.policy import words
from kbeval_harness.static_check.report import Kernel, Place, Report, excerpt, place_of
from kbeval_harness.static_check.tree import Tree

_JIT = "triton.jit"
_WORD = re.compile(r"[A-Za-z_]\w*")

LIBRARY_KERNELS = words("""
    vectorized_elementwise_kernel unrolled_elementwise_kernel elementwise_kernel elementwise_kernel_with_index
    legacy_elementwise_kernel
    CatArrayBatchedCopy CatArrayBatchedCopy_aligned16_contig distribution_elementwise_grid_stride_kernel
    cunn_SoftMaxForward cunn_SoftMaxForwardSmem cunn_SoftMaxBackward softmax_warp_forward
    softmax_warp_backward
    vectorized_layer_norm_kernel batch_norm_collect_statistics_kernel batch_norm_transform_input_kernel
    indexSelectLargeIndex indexSelectSmallIndex gemv2T_kernel_val gemvNSP_kernel gemmSN_NN_kernel
    gemmk1_kernel splitKreduce_kernel dot_kernel reduce_1Block_kernel implicit_convolve_sgemm
    DeviceReduceKernel DeviceReduceSingleTileKernel DeviceScanKernel DeviceRadixSortOnesweepKernel
    fmha_cutlassF_f32_aligned_64x64_rf_sm80 flash_fwd_kernel flash_fwd_splitkv_kernel
""")
"""Base names of kernels of PyTorch, cuBLAS, cuDNN and CUB that no candidate needs for its own."""

_LIBRARY_LIKE = re.compile(
    r"(?:at|cub|cutlass|cublas|cudnn|thrust|c10|caffe2)(?:::|_)"
    r"|(?:ampere|hopper|volta|turing|maxwell|sm\d\d)_|nvjet|gemmk?\d|gemv(?:2|NSP)|xmma|triton_(?:poi|red|per|tem|for)_"
    r"|nccl(?:Dev)?|Memcpy|Memset|void "
)


def collect_triton_kernels(tree: Tree, names: Names, report: Report) -> None:
    """Adds every function decorated with, or passed to, `triton.jit` in any spelling."""
    for node in tree.nodes:
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                target = decorator.func if isinstance(decorator, ast.Call) else decorator
                if names.means(target, _JIT):
                    report.add_kernel(Kernel(node.name, node.name, "triton", place_of(node)))
        elif isinstance(node, ast.Call) and names.means(node.func, _JIT):
            for argument in node.args[:1]:
                if isinstance(argument, ast.Name) and names.means(argument, f"own:{argument.id}"):
                    report.add_kernel(Kernel(argument.id, argument.id, "triton", place_of(node)))


def check_kernels(text: str, device: str, report: Report) -> None:
    """Checks the collected kernels against `text`, the whole source."""
    kernels = report.kernels
    wanted = {"triton", "cuda"} if device == "cuda" else {"triton", "cpp"}
    if not any(kernel.kind in wanted for kernel in kernels):
        kinds = "a CUDA __global__ function" if device == "cuda" else "a function exported by load_inline"
        message = f"the source defines no kernel of its own: it needs a @triton.jit function or {kinds}"
        report.add("no-own-kernel", message, Place(1, 1))
    uses = Counter(_WORD.findall(text))
    for kernel in kernels:
        shown = excerpt(kernel.qualified)
        if kernel.name in LIBRARY_KERNELS:
            message = f"kernel '{shown}' has the name of a library's kernel; rename it"
            report.add("library-kernel-name", message, kernel.place)
        elif _LIBRARY_LIKE.match(kernel.qualified) or _LIBRARY_LIKE.match(kernel.name):
            message = f"kernel '{shown}' is named like a library's kernels; rename it to be told apart"
            report.add("library-like-kernel-name", message, kernel.place)
        if kernel.kind != "cpp" and uses[kernel.name] < 2:
            message = f"kernel '{shown}' is defined but named nowhere else, so it is never launched"
            report.add("kernel-not-referenced", message, kernel.place)
