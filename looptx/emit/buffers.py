"""Buffers of temporaries in C: variables and small arrays, or memory from NumPy.

What is small and of constant size is local to the C function that uses it, so each
thread has its own. The rest is allocated by the entry: shared where a parallel loop
runs during its life, else with a part for each thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from looptx.emit.types import c_element
from looptx.emit.values import fail
from looptx.looptree.text import indent
from looptx.model.expr import Const, IntExpr, maximum
from looptx.model.schedule import bands
from looptx.model.storage import ITEMSIZE, Buffer
from looptx.model.types import ArrayType

if TYPE_CHECKING:
    from looptx.emit.scope import Scope

LARGEST = 1 << 14
"""How many bytes a local array of a C function takes at most."""


@dataclass(frozen=True, slots=True)
class Held:
    """A buffer in C.

    Attributes:
        buffer: what it holds.
        dtype: of its cells.
        local: whether it is a variable of the C function that uses it.
        split: whether every thread has a part of its own.
    """

    buffer: Buffer
    dtype: str
    local: bool
    split: bool

    @property
    def extents(self) -> tuple[IntExpr, ...]:
        """Its shape; memory from NumPy has at least one axis."""
        return self.buffer.extents or (() if self.local else (Const(1),))

    @property
    def kind(self) -> ArrayType:
        """The type of its memory."""
        return ArrayType(self.dtype, len(self.extents) + self.split, "C")

    @property
    def declaration(self) -> str:
        """The C type of a local one: ``double[2][3]``."""
        known = [size.value for size in self.extents if isinstance(size, Const)]
        return "".join([c_element(self.dtype), *(f"[{size}]" for size in known)])


def held(buffer: Buffer, dtype: str) -> Held:
    """How C keeps a buffer.

    Raises:
        Unsupported: LX504 when parallel loops stand around its life and in it.
    """
    size = ITEMSIZE[dtype]
    for extent in buffer.extents:
        size *= extent.value if isinstance(extent, Const) else LARGEST + 1
    local = not buffer.shared and size <= LARGEST
    if buffer.private and buffer.shared:
        fail(f"`{buffer.name}`, which lives between parallel loops")
    return Held(buffer, dtype, local, not local and buffer.private)


def hold_arrays(scope: Scope) -> None:
    """Give the temporaries of the source their types and places."""
    for buffer in scope.planned.buffers:
        if buffer.allocation is None:
            continue
        dtype = buffer.allocation.dtype(scope.types)
        if dtype not in ITEMSIZE:
            fail(f"the element type of `{buffer.name}` is not known")
        scope.buffers[buffer.name] = held(buffer, dtype)
        kind = ArrayType(dtype, len(buffer.extents), "C")
        scope.types = {**scope.types, buffer.name: kind}


def hold_scalars(scope: Scope) -> None:
    """Give the scalars that became arrays their places; their kinds are known."""
    for buffer in scope.planned.buffers:
        if buffer.allocation is None:
            dtype = scope.kinds[buffer.name].dtype
            scope.buffers[buffer.name] = held(buffer, dtype)
    if any(one.split for one in scope.buffers.values()):
        scope.thread = scope.names.fresh("thread")


def allocate(scope: Scope) -> list[str]:
    """Make the buffers that are not local; without memory the loops run as written."""
    lines = []
    for name, one in scope.buffers.items():
        if one.local:
            continue
        sizes = [scope.int_text(maximum(extent, Const(0))) for extent in one.extents]
        if one.split:
            sizes.insert(0, _threads(scope))
        dtype = "uint8" if one.dtype == "bool" else one.dtype
        shape = "".join(f"{size}, " for size in sizes)
        lines.append(f'{scope.names(name)} = lx_numpy.empty(({shape}), "{dtype}")')
    return reserved(lines, "its temporaries") if lines else []


def reserved(lines: list[str], what: str) -> list[str]:
    """Lines that allocate; without memory the loops run as written.

    ValueError is what NumPy says of more bytes than an address can have.
    """
    leave = f'    return "there is no memory for {what}"'
    return ["try:", *indent(lines), "except (MemoryError, ValueError):", leave]


def _threads(scope: Scope) -> str:
    """The most threads that a parallel loop of the nest has."""
    counts = {
        f"lx_threads(threads, {band.dim.marks.parallel.threads})"
        for band in bands(scope.planned.schedule.tree)
        if band.dim.marks.parallel is not None
    }
    return counts.pop() if len(counts) == 1 else f"max({', '.join(sorted(counts))})"
