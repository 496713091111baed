"""What a candidate may import and which names of the imported modules it may use.

A namespace is *closed* (only the listed members) or *open* (every public member that is not listed, not a
module of
the standard library and not denied). Libraries import `os`, `sys` and the like at their top, so those are
reachable
as attributes (`torch.os`, `typing.sys`); open namespaces therefore refuse every name of a standard-library
module.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Namespace:
    """The members of one module that may be used; `denied` matters only where `open` is true."""

    open: bool
    allowed: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    denied_prefixes: tuple[str, ...] = ()

    def permits(self, name: str) -> bool:
        """Whether the member `name` may be used."""
        if name in self.allowed:
            return True
        if not self.open or name.startswith("_") or name in self.denied or name in _REACH_THROUGH:
            return False
        return not name.startswith(self.denied_prefixes)


# Names that lead from an open namespace to another module. The three exceptions are functions or types.
_REACH_THROUGH = (sys.stdlib_module_names - {"chunk", "select", "trace"}) | {
    "torch", "triton", "np", "numpy", "builtins", "bltns", "stdlib_re",
}  # fmt: skip


def words(text: str) -> frozenset[str]:
    """The words of `text` as a set: keeps long lists of names legible."""
    return frozenset(text.split())


def _closed(names: str) -> Namespace:
    return Namespace(open=False, allowed=words(names))


# Capitalised names of torch are its classes, most of them of the JIT: the useful few are listed in
# `_TORCH_ALLOWED`.
_TORCH_ALLOWED = words("""
    nn cuda fft linalg special utils autograd amp ops types
    Tensor Size FloatTensor HalfTensor DoubleTensor BFloat16Tensor LongTensor IntTensor BoolTensor Stream
    get_device get_default_dtype is_grad_enabled is_inference_mode_enabled set_grad_enabled
""")

_TORCH_DENIED = words("""
    accelerator ao autocast_decrement_nesting autocast_increment_nesting backends builtins classes
    classproperty clear_autocast_cache compile compiled_with_cxx11_abi compiler cond cpp cpu
    default_generator distributed distributions export fork from_file frombuffer func functional futures
    fx hub initial_seed jit library load manual_seed masked merge_type_from_type_comment monitor mps
    mtia multiprocessing nested normalized_program obj_to_device optim overrides package parse_ir
    parse_schema parse_type_comment profiler quantization quasirandom random read_vitals return_types
    save seed serialization signal sparse storage sys testing thread_safe_generator torch_version
    unify_type_list version vitals_enabled vmap wait while_loop windows xpu
""")

NAMESPACES: dict[str, Namespace] = {
    "torch": Namespace(
        open=True,
        allowed=_TORCH_ALLOWED,
        denied=_TORCH_DENIED,
        denied_prefixes=(*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "set_", "use_", "get_", "import_", "init_"),
    ),
    "torch.nn": Namespace(
        open=True,
        allowed=words("functional init parameter utils"),
        denied=words("""
            attention backends common_types factory_kwargs grad intrinsic modules parallel qat quantizable
            quantized DataParallel
        """),
    ),
    "torch.nn.functional": Namespace(
        open=True,
        denied=words("grad handle_torch_function has_torch_function boolean_dispatch"),
    ),
    "torch.nn.init": Namespace(open=True),
    "torch.nn.parameter": _closed("Parameter Buffer"),
    "torch.nn.utils": _closed("""
        rnn fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval parameters_to_vector
        vector_to_parameters weight_norm spectral_norm
    """),
    "torch.nn.utils.rnn": _closed("""
        pack_padded_sequence pad_packed_sequence pad_sequence pack_sequence PackedSequence
    """),
    "torch.fft": Namespace(open=True),
    "torch.linalg": Namespace(open=True),
    "torch.special": Namespace(open=True),
    "torch.types": _closed("Device Number"),
    "torch.amp": _closed("autocast custom_fwd custom_bwd"),
    "torch.ops": _closed("aten"),
    "torch.autograd": _closed("""
        Function function grad enable_grad no_grad inference_mode Variable
    """),
    "torch.autograd.function": _closed("Function once_differentiable"),
    "torch.cuda": _closed("""
        amp current_device current_stream default_stream stream Stream device device_count device_of
        get_device_capability get_device_name get_device_properties is_available is_bf16_supported
        FloatTensor HalfTensor LongTensor
    """),
    "torch.cuda.amp": _closed("autocast custom_fwd custom_bwd"),
    "torch.utils": _closed("cpp_extension"),
    "torch.utils.cpp_extension": _closed("load_inline"),
    "triton": _closed("""
        jit autotune heuristics Config cdiv next_power_of_2 language tools reinterpret set_allocator
    """),
    "triton.tools": _closed("tensor_descriptor"),
    "triton.tools.tensor_descriptor": _closed("TensorDescriptor"),
    "triton.language": Namespace(
        open=True,
        allowed=words("extra math"),
        denied=words("core standard semantic target_info tensor_descriptor"),
    ),
    "triton.language.math": Namespace(open=True, denied=words("core")),
    "triton.language.extra": _closed("cuda libdevice"),
    "triton.language.extra.cuda": Namespace(open=True, allowed=words("libdevice"), denied=words("utils gdc")),
    "triton.language.extra.libdevice": Namespace(open=True, denied=words("core")),
    "triton.language.extra.cuda.libdevice": Namespace(open=True, denied=words("core")),
    "math": Namespace(open=True),
    "cmath": Namespace(open=True),
    "typing": Namespace(open=True, denied=words("get_type_hints get_origin get_args ForwardRef")),
    "itertools": Namespace(open=True),
    "numbers": _closed("Number Real Integral Complex Rational"),
    "enum": _closed("Enum IntEnum auto unique"),
    "dataclasses": _closed("dataclass field"),
    "collections": _closed("OrderedDict namedtuple defaultdict deque Counter abc"),
    "collections.abc": Namespace(open=True),
    "functools": _closed("partial reduce"),
    "copy": _closed("copy deepcopy"),
    "textwrap": _closed("dedent"),
    "__future__": _closed("annotations"),
}  # fmt: skip
"""Every module that may be imported, with its members. `torch.ops.aten` is a value, not a module."""


def refused_part(path: str) -> str | None:
    """The shortest prefix of the dotted `path` that may not be used, or None where all of it may.

    Beyond a namespace's member (`torch.Tensor.abs`) this table has no say; the attribute rules do.
    """
    parts = path.split(".")
    if parts[0] not in NAMESPACES:
        return None
    namespace = parts[0]
    for part in parts[1:]:
        member = f"{namespace}.{part}"
        if not NAMESPACES[namespace].permits(part):
            return member
        if member not in NAMESPACES:
            return None
        namespace = member
    return None


FORBIDDEN_BUILTINS = words("""
    __build_class__ __builtins__ __debug__ __doc__ __file__ __import__ __loader__ __package__ __spec__
    aiter anext breakpoint compile copyright credits delattr dir eval exec execfile exit globals help id
    BaseException GeneratorExit KeyboardInterrupt SystemExit
    input license locals memoryview open quit reload setattr vars
""")
"""Builtins whose mere mention is refused, so that no alias of them can be made."""

MEMBER_BUILTINS = frozenset({"getattr", "hasattr"})
"""Builtins that may only be called, with a literal public name."""

ALLOWED_DECORATORS = words("""
    triton.jit triton.autotune triton.heuristics
    torch.no_grad torch.inference_mode torch.enable_grad torch.autograd.no_grad torch.autograd.inference_mode
    torch.autograd.enable_grad torch.autograd.function.once_differentiable
    torch.amp.custom_fwd torch.amp.custom_bwd torch.cuda.amp.custom_fwd torch.cuda.amp.custom_bwd
    dataclasses.dataclass enum.unique typing.overload typing.no_type_check typing.final
    builtins.staticmethod builtins.classmethod builtins.property
""")

ALLOWED_BASES = words("""
    builtins.object torch.autograd.Function torch.autograd.function.Function
    typing.NamedTuple typing.Protocol typing.TypedDict enum.Enum enum.IntEnum
""")
"""Bases beside `torch.nn.<X>` and classes of the candidate. Not torch.Tensor: a subclass can fake a
comparison.
"""

ALLOWED_DUNDER_DEFINITIONS = words("""
    __init__ __call__ __len__ __getitem__ __iter__ __contains__ __repr__ __str__ __post_init__ __all__
    __slots__
    __constants__ __version__ __annotations__ __author__
""")

BASE_PREFIXES = ("torch.nn.", "own:")

REFLECTIVE_ATTRIBUTES = words("""
    f_back f_builtins f_code f_globals f_locals f_trace gi_frame gi_code gi_yieldfrom cr_frame cr_code
    cr_await
    ag_frame ag_code tb_frame tb_next func_globals func_code func_closure co_code co_consts
    mro with_traceback load_library from_file tofile dump compile
""")

MODULE_ATTRIBUTES = words("builtins ctypes importlib inspect multiprocessing os subprocess sys threading")
"""Refused as attributes of anything: second line behind the namespaces, for values that cannot be
resolved.
"""

MODULE_INTERNALS = words("""
    _apply _backward_hooks _backward_pre_hooks _buffers _call_impl _compiled_call_impl _forward_hooks
    _forward_hooks_always_called _forward_hooks_with_kwargs _forward_pre_hooks _forward_pre_hooks_with_kwargs
    _get_backward_hooks _is_full_backward_hook _load_from_state_dict _load_state_dict_post_hooks
    _load_state_dict_pre_hooks _modules _non_persistent_buffers_set _parameters
    _register_load_state_dict_pre_hook
    _save_to_state_dict _slow_forward _state_dict_hooks _state_dict_pre_hooks _version _wrapped_call_impl
    parameters named_parameters buffers named_buffers state_dict load_state_dict register_parameter
    register_buffer
""")
"""Attributes of torch.nn.Module that a candidate may neither assign nor define: weights are synced through
them.
"""
