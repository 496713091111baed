"""The oracle: makes weights and inputs, keeps what is expected, and compares. It never sees candidate code.

It owns every shared region. Subjects (the eager reference, the compiled reference, the candidate) deliver their
outputs into regions of their own; the oracle compares region with region in one native pass.
"""

from __future__ import annotations

import secrets
from typing import Any

import torch

from . import native, values
from .exact import ErrorSum, exact_outputs
from .memory import Region, Regions, TensorSpec, lay_out
from .problem_file import init_arguments, load_problem

Result = dict[str, Any]


class Oracle:
    def __init__(self, device: int) -> None:
        self._device = device
        self._torch_device = torch.device(f"cuda:{device}" if device >= 0 else "cpu")
        self._regions = Regions()
        self._key = secrets.randbits(64)  # fingerprints are keyed: a candidate can't aim for a collision
        self._problem: Any = None
        self._weights: list[TensorSpec] = []
        self._weight_names: list[str] | None = None
        self._inputs: list[TensorSpec] = []
        self._input_tree: values.Tree = {}
        self._outputs: list[TensorSpec] = []
        self._slot_bytes = 0
        self._slots = 0
        self._output_slots = 0
        self._fingerprints: dict[int, int] = {}
        self._weights_fingerprint = 0
        self._seals: dict[tuple[str, int], int] = {}
        self._first_outputs: list[torch.Tensor] | None = None
        self._constant = True

    # ---- problem, weights, inputs

    def on_load_problem(self, source: str, file: str, overrides: Result) -> Result:
        self._problem = load_problem(source, file, overrides)
        torch.manual_seed(0)
        trees = []
        for index, argument in enumerate(init_arguments(self._problem)):
            tree, tensors = values.encode(argument, f"get_init_inputs()[{index}]")
            if tensors:
                raise RuntimeError(f"{file}: get_init_inputs() holds tensors, which are not supported")
            trees.append(tree)
        return {"init_args": trees}

    def on_draw_weights(self, seed: int, vary: bool) -> tuple[Result, list[int]]:
        """Fresh parameters and buffers in the region ``weights`` (slot 0), made on the device from ``seed``."""
        model = self._construct(seed)
        if vary:
            _vary_constant_parameters(model)
        state = dict(model.state_dict())
        tensors = list(state.values())
        fds: list[int] = []
        exported: list[Result] = []
        if self._weight_names is None:  # the first time; a model may have none
            self._weight_names = list(state)
            self._weights, nbytes = lay_out(tensors, keep_strides=False)
            region = Region.create("weights", 0, 1, nbytes, self._device)
            self._regions.add(region)
            exported, fds = _export([region])
        for view, tensor in zip(self._regions.tensors("weights", 0, self._weights), tensors, strict=True):
            view.copy_(tensor)
        self._settle()
        self._weights_fingerprint = self._fingerprint("weights", 0, self._weights)
        specs = [{"name": n, **s.to_json()} for n, s in zip(self._weight_names, self._weights, strict=True)]
        return {"weights": {"specs": specs}, "regions": exported}, fds

    def _construct(self, seed: int) -> torch.nn.Module:
        """Model under ``seed``; made on the device where it can be (quick), else on the CPU."""
        arguments = init_arguments(self._problem)
        try:
            torch.manual_seed(seed)
            with self._torch_device:
                return self._problem.Model(*arguments)
        except (RuntimeError, TypeError, ValueError):
            torch.manual_seed(seed)
            return self._problem.Model(*arguments)

    def _draw(self, seed: int) -> tuple[values.Tree, list[torch.Tensor]]:
        torch.manual_seed(seed)
        with self._torch_device:
            drawn = self._problem.get_inputs()
        return values.encode(list(drawn), "get_inputs()")

    def on_plan_inputs(self, seed: int) -> Result:
        """Layout of one slot of inputs, and how much memory the device has free, both in bytes."""
        self._input_tree, tensors = self._draw(seed)
        self._inputs, self._slot_bytes = lay_out(tensors, keep_strides=True)
        del tensors
        free = native.module().cuda_mem_info(self._device)[0] if self._device >= 0 else 0
        return {
            "inputs": {"tree": self._input_tree, "specs": [s.to_json() for s in self._inputs]},
            "slot_bytes": self._slot_bytes,
            "free_bytes": free,
        }

    def on_allocate(self, slots: int) -> tuple[Result, list[int]]:
        """Make sure that ``slots`` input slots exist; returns the regions that are new."""
        if slots <= self._slots:
            return {"regions": []}, []
        region = Region.create("inputs", self._slots, slots - self._slots, self._slot_bytes, self._device)
        self._regions.add(region)
        self._slots = slots
        exported, fds = _export([region])
        return {"regions": exported}, fds

    def on_draw_inputs(self, slots: list[int], seeds: list[int], scales: list[float]) -> Result:
        """Fresh inputs in each slot, from the seed beside it, and their fingerprints kept.

        A scale other than 1 multiplies what is real and takes many values (labels such as -1 and 1 keep theirs). It
        keeps zeros, symmetry and triangles, and shows a candidate that relies on the mean, the range or the sign of
        what ``get_inputs`` draws.
        """
        for slot, seed, scale in zip(slots, seeds, scales, strict=True):
            tree, tensors = self._draw(seed)
            if tree != self._input_tree:
                raise RuntimeError("get_inputs() changes its structure from call to call")
            for view, tensor in zip(
                self._regions.tensors("inputs", slot, self._inputs), tensors, strict=True
            ):
                view.copy_(tensor)
                if scale != 1 and _is_continuous(view):
                    view.mul_(scale)
            del tensors
            self._fingerprints[slot] = self._fingerprint("inputs", slot, self._inputs)
        self._settle()
        return {}

    def _fingerprint(self, name: str, slot: int, specs: list[TensorSpec]) -> int:
        self._settle()
        region = self._regions.find(name, slot)
        total = 0
        for spec in specs:
            address = region.slot_address(slot) + spec.offset
            one = native.module().fingerprint(self._device, address, spec.nbytes, key=self._key)
            total = (total * 0x9E3779B97F4A7C15 + one) % (1 << 64)
        return total

    def on_inputs_changed(self, slots: list[int]) -> Result:
        """Which of ``slots`` no longer hold what was drawn into them; -1 stands for the shared weights."""
        changed = [s for s in slots if self._fingerprint("inputs", s, self._inputs) != self._fingerprints[s]]
        if self._fingerprint("weights", 0, self._weights) != self._weights_fingerprint:
            changed.append(-1)
        return {"changed": changed}

    # ---- outputs

    def on_allocate_outputs(
        self, outputs: Result, slots: int, subjects: list[str]
    ) -> tuple[Result, list[int]]:
        """Make sure that each subject has ``slots`` output slots, laid out as the reference's outputs are."""
        if not self._outputs and self._output_slots == 0:
            self._outputs = [TensorSpec.from_json(s) for s in outputs["specs"]]
        last = self._outputs[-1] if self._outputs else None
        nbytes = max(512, -(-(last.offset + last.nbytes) // 512) * 512) if last else 512
        created = []
        if slots > self._output_slots:
            for subject in subjects:
                region = Region.create(
                    f"outputs/{subject}", self._output_slots, slots - self._output_slots, nbytes, self._device
                )
                self._regions.add(region)
                created.append(region)
            self._output_slots = slots
        exported, fds = _export(created)
        return {"regions": exported}, fds

    def on_poison(self, subject: str, slots: list[int]) -> Result:
        """Fill the subject's output slots with 0xFF bytes (NaN in every float type); ``inputs`` stands for the
        input slots, which nobody is to see before their time."""
        for slot in slots:
            region = self._regions.find("inputs" if subject == "inputs" else f"outputs/{subject}", slot)
            native.module().poison(self._device, region.slot_address(slot), region.slot_bytes)
        self._settle()
        return {}

    def on_seal(self, subject: str, slots: list[int]) -> Result:
        """Remember what the subject's outputs are now that it has answered: nothing may write to them any more."""
        for slot in slots:
            self._seals[subject, slot] = self._fingerprint(f"outputs/{subject}", slot, self._outputs)
        return {}

    def _broken_seals(self, subject: str, slots: list[int]) -> list[int]:
        broken = []
        for slot in slots:
            seal = self._seals.pop((subject, slot), None)
            if seal is not None and seal != self._fingerprint(f"outputs/{subject}", slot, self._outputs):
                broken.append(slot)
        return broken

    def on_survey(self, slot: int, atol: float, rtol: float) -> Result:
        """Whether the reference's outputs are finite, and whether all surveyed so far agree within tolerance."""
        self._settle()
        views = self._regions.tensors("outputs/eager", slot, self._outputs)
        finite = all(bool(torch.isfinite(v).all()) for v in views if v.is_floating_point() or v.is_complex())
        if self._first_outputs is None:
            self._first_outputs = [v.clone() for v in views]
        elif self._constant:
            for before, now, spec in zip(self._first_outputs, views, self._outputs, strict=True):
                one = native.module().compare(
                    self._device, before.data_ptr(), now.data_ptr(), spec.numel, spec.dtype, atol, rtol
                )
                self._constant = self._constant and one.mismatches == 0
            if not self._constant:
                self._first_outputs = []  # the question is answered
        return {"finite": finite, "constant": self._constant}

    def on_compare(self, expected: str, actual: str, slots: list[int], atol: float, rtol: float) -> Result:
        """Compare two subjects' outputs slot by slot; every tensor of every slot, in full."""
        self._settle()
        results = []
        for slot in slots:
            left = self._regions.find(f"outputs/{expected}", slot)
            right = self._regions.find(f"outputs/{actual}", slot)
            for index, spec in enumerate(self._outputs):
                one = native.module().compare(
                    self._device,
                    left.slot_address(slot) + spec.offset,
                    right.slot_address(slot) + spec.offset,
                    spec.numel,
                    spec.dtype,
                    atol,
                    rtol,
                )
                results.append(_comparison(slot, index, one))
        return {"comparisons": results, "late": self._broken_seals(actual, slots)}

    def on_compare_exact(self, subjects: list[str], slot: int) -> Result:
        """Each subject's outputs in ``slot`` against the reference in float64 on the same weights and inputs."""
        model = self._construct(0).to(self._torch_device)
        views = self._regions.tensors("weights", 0, self._weights)
        model.load_state_dict(dict(zip(self._weight_names or [], views, strict=True)))
        tensors = self._regions.tensors("inputs", slot, self._inputs)
        # Copies: a forward that writes into its inputs must not write into the subjects'.
        arguments = values.decode(self._input_tree, [t.clone() for t in tensors])
        _, exact = values.encode(exact_outputs(model, arguments), "output")
        errors = []
        for subject in subjects:
            total = ErrorSum()
            delivered = self._regions.tensors(f"outputs/{subject}", slot, self._outputs)
            for actual, truth in zip(delivered, exact, strict=True):
                total.add(actual, truth)
            errors.append(
                {
                    "max_abs": _number(total.max_abs),
                    "sum_squares": _number(total.sum_squares),
                    "numel": total.numel,
                }
            )
        del model, exact
        if self._device >= 0:
            torch.cuda.empty_cache()
        return {"errors": errors}

    def _settle(self) -> None:
        if self._device >= 0:
            native.module().cuda_synchronize(self._device)


def _is_continuous(tensor: torch.Tensor) -> bool:
    few = 8
    return tensor.is_floating_point() and int(torch.unique(tensor.flatten()[:4096]).numel()) > few


def _vary_constant_parameters(model: torch.nn.Module) -> None:
    """A zero bias or a unit gain that a candidate leaves out would go unseen: give such parameters other values."""
    with torch.no_grad():
        for parameter in model.parameters():
            if not parameter.is_floating_point() or not parameter.numel():
                continue
            if bool(torch.all(parameter == parameter.flatten()[0])):
                parameter.add_(torch.rand_like(parameter) * 0.4 - 0.2)


def _export(regions: list[Region]) -> tuple[list[Result], list[int]]:
    return [r.export() for r in regions], [r.fd for r in regions if r.fd >= 0]


def _number(value: float) -> float | str:
    """JSON has no non-finite numbers: those travel as the strings ``nan``, ``inf`` and ``-inf``."""
    return value if abs(value) < float("inf") else repr(value)


def _comparison(slot: int, output: int, one: Any) -> Result:
    return {
        "slot": slot,
        "output": output,
        "numel": one.numel,
        "mismatches": one.mismatches,
        "nonfinite_mismatches": one.nonfinite_mismatches,
        "max_abs": _number(one.max_abs),
        "max_rel": _number(one.max_rel),
        "worst_index": one.worst_index,
        "worst_expected": _number(one.worst_expected),
        "worst_actual": _number(one.worst_actual),
    }
