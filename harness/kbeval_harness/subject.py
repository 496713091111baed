"""A subject: a process that holds one module and runs it on inputs it is given.

The eager reference, the compiled reference and the candidate are all subjects, built from the same code and timed by
the same native function, so that whatever the harness costs it costs each of them alike.
"""

from __future__ import annotations

import gc
from types import ModuleType
from typing import Any

import torch

from . import native, values
from .candidate_build import run_candidate_module
from .memory import Region, Regions, TensorSpec, dtype_name, lay_out
from .own_kernels import CpuCalls, record_cuda_kernels
from .problem_file import load_problem
from .subject_errors import OutputError, WeightsError

Result = dict[str, Any]
FLUSH_BYTES_CPU = 2 << 20  # more than a core's own caches; what it costs is noise to the judge's clock


def _reseed() -> None:
    """Before every forward: one that draws random numbers (dropout, a random initial state) draws the same in each
    subject. The same numbers every time say nothing about inputs or weights, whose seeds are the oracle's."""
    torch.manual_seed(0)


class Subject:
    """``role`` is ``eager``, ``compiled`` or ``candidate``; ``device`` a CUDA ordinal, or -1 for the CPU."""

    def __init__(self, role: str, device: int) -> None:
        self._role = role
        self._device = device
        self._torch_device = torch.device(f"cuda:{device}" if device >= 0 else "cpu")
        self._source: ModuleType
        self._module: Any = None
        self._forward: Any = None
        self._regions = Regions()
        self._weights: list[tuple[str, TensorSpec]] = []
        self._inputs: list[TensorSpec] = []
        self._input_tree: values.Tree = {}
        self._outputs: list[TensorSpec] = []
        self._output_tree: values.Tree | None = None
        self._calls = CpuCalls()
        self._earlier: list[tuple[int, int]] = []
        self._earlier_tensors: list[torch.Tensor] = []
        self._timer: Any = None

    # ---- making the module

    def on_build(self, source: str, file: str, overrides: Result) -> Result:
        """Execute the module's source: compiles ``load_inline`` extensions."""
        if self._role == "candidate":
            self._source = run_candidate_module(source, file, self._calls if self._device < 0 else None)
        else:
            self._source = load_problem(source, file, overrides)
        return {}

    def on_construct(self, init_args: list[values.Tree], seed: int) -> Result:
        """Construct on the CPU under ``seed``, as KernelBench does, and move to the device. Train mode."""
        torch.set_grad_enabled(False)
        torch.manual_seed(seed)
        model = getattr(self._source, "ModelNew" if self._role == "candidate" else "Model")
        self._module = model(*[values.decode(tree, []) for tree in init_args])
        if not isinstance(self._module, torch.nn.Module):
            raise TypeError(f"{model.__name__} is not a torch.nn.Module")
        self._module.to(self._torch_device)
        self._forward = self._module
        return {}

    def on_attach(
        self, weights: Result, inputs: Result, outputs: Result, regions: list[Result], fds: list[int]
    ) -> Result:
        """Open regions of the oracle; ``weights``, ``inputs`` and ``outputs`` say what lies in them."""
        given = iter(fds)
        for data in regions:
            self._regions.add(Region.open(data, next(given) if self._device < 0 else None, self._device))
        if weights:
            self._weights = [(s["name"], TensorSpec.from_json(s)) for s in weights["specs"]]
        if inputs:
            self._input_tree = inputs["tree"]
            self._inputs = [TensorSpec.from_json(s) for s in inputs["specs"]]
        if outputs:
            self._output_tree = outputs["tree"]
            self._outputs = [TensorSpec.from_json(s) for s in outputs["specs"]]
        return {}

    def on_sync_weights(self) -> Result:
        """Load the oracle's weights by name into the module's own parameters and buffers."""
        views = self._regions.tensors("weights", 0, [spec for _, spec in self._weights])
        state = {name: view for (name, _), view in zip(self._weights, views, strict=True)}
        try:
            outcome = self._module.load_state_dict(state, strict=False)
        except RuntimeError as error:
            raise WeightsError(
                f"weights can't be copied into {type(self._module).__name__}: {error}"
            ) from None
        if outcome.unexpected_keys:
            raise WeightsError(
                f"{type(self._module).__name__} has no parameter or buffer {', '.join(outcome.unexpected_keys[:8])}; "
                "its parameters and buffers must have the names and shapes of Model's, so that both compute with the "
                f"same weights (Model's: {', '.join(list(state)[:12])})"
            )
        self._synchronize()
        return {"extra": list(outcome.missing_keys)[:32]}

    def on_compile(self, slot: int) -> Result:
        """Put the module under ``torch.compile`` and run it once."""
        import torch._dynamo

        torch._dynamo.config.suppress_errors = False
        self._forward = torch.compile(self._module)
        self._forward(*self._arguments(slot))
        self._forward(*self._arguments(slot))
        self._synchronize()
        self._give_back()
        return {}

    # ---- running it

    def _arguments(self, slot: int) -> list[Any]:
        tensors = self._regions.tensors("inputs", slot, self._inputs)
        arguments: list[Any] = values.decode(self._input_tree, tensors)
        return arguments

    def on_probe(self, slot: int) -> Result:
        """Run once and say how the outputs look: their structure and their layout in a slot."""
        _reseed()
        tree, tensors = values.encode(self._forward(*self._arguments(slot)), "output")
        self._synchronize()
        specs, nbytes = lay_out(tensors, keep_strides=False)
        del tensors
        self._give_back()
        return {"outputs": {"tree": tree, "specs": [s.to_json() for s in specs]}, "slot_bytes": nbytes}

    def on_forward(self, slot: int) -> Result:
        """Run once and deliver the outputs into the subject's own output slot."""
        _reseed()
        result = self._forward(*self._arguments(slot))
        self._synchronize()
        flags = self._deliver(slot, result)
        if "output_aliases_input" not in flags:
            flags += self._reused(result)
        self._synchronize()
        return {"flags": flags}

    def _reused(self, result: object) -> list[str]:
        """Flags outputs in memory that an earlier output, which is still held, lies in."""
        _, tensors = values.encode(result, "output")
        spans = [
            (t.untyped_storage().data_ptr(), t.untyped_storage().data_ptr() + t.untyped_storage().nbytes())
            for t in tensors
            if t.numel()
        ]
        reused = any(a < d and c < b for a, b in spans for c, d in self._earlier)
        self._earlier, self._earlier_tensors = spans, tensors
        return ["output_aliases_earlier_output"] if reused else []

    def on_time_block(
        self, warm_slot: int, warm: int, slots: list[int], head_start_us: float, spin_us: float
    ) -> Result:
        """``warm`` untimed forwards, then one timed forward for each slot, outputs delivered. Milliseconds."""
        calls = [tuple(self._arguments(slot)) for slot in slots]
        warm_calls = [tuple(self._arguments(warm_slot))] * warm
        flags: set[str] = set()

        def deliver(index: int, result: object) -> None:
            flags.update(self._deliver(slots[index], result))
            _reseed()

        stream = torch.cuda.current_stream(self._device).cuda_stream if self._device >= 0 else 0
        if warm_calls:
            gc.collect()  # not in a block that is timed: the judge's clock runs around it
        gc.disable()
        _reseed()
        try:
            trials = self._block_timer().run(
                self._forward, calls, deliver, warm_calls, stream, head_start_us, spin_us
            )
        finally:
            gc.enable()
        self._synchronize()
        return {
            "device_ms": [t.device_ms for t in trials],
            "host_ms": [t.host_ms for t in trials],
            "flags": sorted(flags),
        }

    def _block_timer(self) -> Any:
        if self._timer is None:
            if self._device >= 0:
                flush = 2 * torch.cuda.get_device_properties(self._device).L2_cache_size
            else:
                flush = FLUSH_BYTES_CPU
            self._timer = native.module().BlockTimer(self._device, flush)
        return self._timer

    def on_profile(self, slot: int, forwards: int) -> Result:
        """Which kernels ``forwards`` forwards launch, with their device time; last output delivered."""
        arguments = self._arguments(slot)

        def forward() -> object:
            _reseed()
            return self._forward(*arguments)

        if self._device >= 0:
            kernels, dropped, result = record_cuda_kernels(self._device, forward, forwards)
        else:
            kernels, result = self._calls.record(forward, forwards)
            dropped = 0
        self._deliver(slot, result)
        self._synchronize()
        return {"kernels": kernels, "dropped": dropped}

    def on_peak_memory(self, slot: int) -> Result:
        """Bytes that PyTorch's allocator holds at most during one forward, and of the inputs; null on the CPU."""
        if self._device < 0:
            return {"bytes": None}
        arguments = self._arguments(slot)
        torch.cuda.reset_peak_memory_stats(self._device)
        _reseed()
        self._forward(*arguments)
        self._synchronize()
        held = torch.cuda.max_memory_allocated(self._device)
        return {"bytes": held + sum(spec.nbytes for spec in self._inputs)}

    def _give_back(self) -> None:
        """Memory that the allocator keeps, so that other processes find it free."""
        if self._device >= 0:
            torch.cuda.empty_cache()

    # ---- outputs

    def _deliver(self, slot: int, result: object) -> list[str]:
        """Check the outputs' form and copy them into the slot. Returns flags."""
        try:
            tree, tensors = values.encode(result, "output")
        except values.ValueError_ as error:
            raise OutputError(f"{error}; expected {self._expected()}") from None
        if self._output_tree is not None and tree != self._output_tree:
            raise OutputError(f"forward returned {values.describe(tree)}; expected {self._expected()}")
        flags = []
        targets = self._regions.tensors(f"outputs/{self._role}", slot, self._outputs)
        for index, (tensor, spec, target) in enumerate(zip(tensors, self._outputs, targets, strict=True)):
            self._check_form(index, tensor, spec)
            if spec.nbytes and self._aliases(tensor):
                flags.append("output_aliases_input")
            target.copy_(tensor)
        return flags

    def _expected(self) -> str:
        return values.describe(self._output_tree) if self._output_tree is not None else "what Model returns"

    def _check_form(self, index: int, tensor: torch.Tensor, spec: TensorSpec) -> None:
        found = dtype_name(tensor.dtype)
        if tensor.layout is not torch.strided:
            raise OutputError(f"output {index} has layout {tensor.layout}; expected a dense (strided) tensor")
        if tuple(tensor.shape) != spec.shape:
            raise OutputError(f"output {index} has shape {list(tensor.shape)}; expected {list(spec.shape)}")
        if found != spec.dtype:
            raise OutputError(f"output {index} has dtype {found}; expected {spec.dtype}")
        if tensor.device != self._torch_device:
            raise OutputError(f"output {index} is on {tensor.device}; expected {self._torch_device}")
        if tensor.is_conj() or tensor.is_neg():
            raise OutputError(f"output {index} is a lazy conjugate or negative view; expected plain values")

    def _aliases(self, tensor: torch.Tensor) -> bool:
        address = tensor.data_ptr()
        spans = self._regions.spans("inputs") + self._regions.spans("weights")
        return any(first <= address < end for first, end in spans)

    def _synchronize(self) -> None:
        if self._device >= 0:
            torch.cuda.synchronize(self._device)
