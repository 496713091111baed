"""Regions of memory shared between processes, and tensors laid out in them.

A region is one allocation of its own (never carved from PyTorch's caching allocator), so that opening it shows a
process nothing else. On CUDA it travels as a CUDA IPC handle, on the CPU as a memfd.
"""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass
from typing import Any

import torch

from . import native

ALIGNMENT = 512
# cudaMalloc packs small allocations into shared blocks of 2 MiB, and an IPC handle opens the whole block.
CUDA_GRANULE = 2 << 20


@dataclass(frozen=True)
class TensorSpec:
    """Where a tensor lies in a slot: byte offset, shape and strides in elements, dtype by name."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: str
    offset: int
    nbytes: int

    def to_json(self) -> dict[str, Any]:
        return {
            "shape": list(self.shape),
            "stride": list(self.stride),
            "dtype": self.dtype,
            "offset": self.offset,
            "nbytes": self.nbytes,
        }

    @staticmethod
    def from_json(data: dict[str, Any]) -> TensorSpec:
        return TensorSpec(
            tuple(data["shape"]),
            tuple(data["stride"]),
            data["dtype"],
            int(data["offset"]),
            int(data["nbytes"]),
        )

    @property
    def numel(self) -> int:
        count = 1
        for size in self.shape:
            count *= size
        return count


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _dense_stride(tensor: torch.Tensor) -> tuple[int, ...]:
    """The tensor's own strides where its elements fill memory without gaps or overlap, else row-major ones."""
    order = sorted(range(tensor.dim()), key=lambda d: (tensor.stride(d), tensor.shape[d]))
    expected = 1
    for d in order:
        if tensor.shape[d] != 1 and tensor.stride(d) != expected:
            return tuple(torch.empty(tensor.shape, device="meta").stride())
        expected *= tensor.shape[d]
    return tuple(tensor.stride())


def lay_out(tensors: list[torch.Tensor], keep_strides: bool) -> tuple[list[TensorSpec], int]:
    """Specs that place ``tensors`` one after the other in a slot, and the slot's size in bytes."""
    specs = []
    offset = 0
    for t in tensors:
        stride = _dense_stride(t) if keep_strides else torch.empty(t.shape, device="meta").stride()
        nbytes = t.numel() * t.element_size()
        specs.append(TensorSpec(tuple(t.shape), tuple(stride), dtype_name(t.dtype), offset, nbytes))
        offset += -(-nbytes // ALIGNMENT) * ALIGNMENT
    return specs, max(offset, ALIGNMENT)


class Region:
    """One shared allocation: ``slots`` slots of ``slot_bytes`` each, the first of which has number ``first_slot``."""

    def __init__(self, name: str, first_slot: int, slots: int, slot_bytes: int, device: int) -> None:
        self.name = name
        self.first_slot = first_slot
        self.slots = slots
        self.slot_bytes = slot_bytes
        self.device = device
        self.fd = -1
        self.base: torch.Tensor
        self._map: mmap.mmap | None = None

    @property
    def nbytes(self) -> int:
        return self.slots * self.slot_bytes

    @classmethod
    def create(cls, name: str, first_slot: int, slots: int, slot_bytes: int, device: int) -> Region:
        region = cls(name, first_slot, slots, slot_bytes, device)
        if device >= 0:
            size = -(-region.nbytes // CUDA_GRANULE) * CUDA_GRANULE
            region.base = _cuda_tensor(native.module().cuda_alloc(device, size), region.nbytes, device)
        else:
            region.fd = os.memfd_create(f"kbeval-{name}", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            os.ftruncate(region.fd, region.nbytes)
            import fcntl

            fcntl.fcntl(
                region.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
            )
            region._map_fd()
        return region

    def export(self) -> dict[str, Any]:
        """JSON description by which ``open`` finds the region; on the CPU ``fd`` must travel beside it."""
        handle = (
            native.module().cuda_ipc_export(self.device, self.base.data_ptr()).hex()
            if self.device >= 0
            else ""
        )
        return {
            "name": self.name,
            "first_slot": self.first_slot,
            "slots": self.slots,
            "slot_bytes": self.slot_bytes,
            "handle": handle,
        }

    @classmethod
    def open(cls, data: dict[str, Any], fd: int | None, device: int) -> Region:
        region = cls(data["name"], data["first_slot"], data["slots"], data["slot_bytes"], device)
        if device >= 0:
            pointer = native.module().cuda_ipc_open(device, bytes.fromhex(data["handle"]))
            region.base = _cuda_tensor(pointer, region.nbytes, device)
        else:
            if fd is None:
                raise RuntimeError(f"region {region.name} came without its descriptor")
            region.fd = fd
            region._map_fd()
        return region

    def _map_fd(self) -> None:
        self._map = mmap.mmap(self.fd, self.nbytes)
        self.base = torch.frombuffer(self._map, dtype=torch.uint8)

    def holds(self, slot: int) -> bool:
        return self.first_slot <= slot < self.first_slot + self.slots

    def slot_address(self, slot: int) -> int:
        return int(self.base.data_ptr()) + (slot - self.first_slot) * self.slot_bytes

    def tensor(self, slot: int, spec: TensorSpec) -> torch.Tensor:
        """The tensor that ``spec`` describes in ``slot``, as a view of the region."""
        start = (slot - self.first_slot) * self.slot_bytes + spec.offset
        dtype: torch.dtype = getattr(torch, spec.dtype)
        if spec.nbytes == 0:
            return torch.empty(spec.shape, dtype=dtype, device=self.base.device)
        flat = self.base[start : start + spec.nbytes].view(dtype)
        return flat.as_strided(spec.shape, spec.stride)


class _CudaPointer:
    """Adapter that lets PyTorch wrap foreign device memory (the CUDA array interface, version 3)."""

    def __init__(self, pointer: int, nbytes: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (nbytes,),
            "typestr": "|u1",
            "data": (pointer, False),
            "version": 3,
            "strides": None,
        }


def _cuda_tensor(pointer: int, nbytes: int, device: int) -> torch.Tensor:
    tensor: torch.Tensor = torch.as_tensor(_CudaPointer(pointer, nbytes), device=f"cuda:{device}")
    return tensor


class Regions:
    """The regions a process has, found by name and slot."""

    def __init__(self) -> None:
        self._regions: list[Region] = []

    def add(self, region: Region) -> None:
        self._regions.append(region)

    def find(self, name: str, slot: int) -> Region:
        for region in self._regions:
            if region.name == name and region.holds(slot):
                return region
        raise RuntimeError(f"no region {name!r} holds slot {slot}")

    def tensors(self, name: str, slot: int, specs: list[TensorSpec]) -> list[torch.Tensor]:
        region = self.find(name, slot)
        return [region.tensor(slot, spec) for spec in specs]

    def spans(self, name: str) -> list[tuple[int, int]]:
        """Address ranges [first, past-the-end) of the regions with this name."""
        return [(r.base.data_ptr(), r.base.data_ptr() + r.nbytes) for r in self._regions if r.name == name]
