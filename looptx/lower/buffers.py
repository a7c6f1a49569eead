"""Buffers of temporaries in C: variables and small arrays, or memory from NumPy.

What is small and of constant size is local to the C function that uses it, so each
thread has its own. The rest is allocated by the entry: shared where a parallel loop
runs during its life, else with a part for each thread.
"""

from __future__ import annotations

from looptx.lower.kinds import fail
from looptx.lower.types import c_element
from looptx.model.dtypes import DTYPES
from looptx.model.expr import Const, IntExpr
from looptx.model.records import dataclass
from looptx.model.storage import Buffer
from looptx.model.types import ArrayType

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
    size = DTYPES[dtype].size
    for extent in buffer.extents:
        size *= extent.value if isinstance(extent, Const) else LARGEST + 1
    local = not buffer.shared and size <= LARGEST
    if buffer.where:
        local = buffer.where == "local"
    if buffer.private and buffer.shared:
        fail(f"`{buffer.name}`, which lives between parallel loops")
    return Held(buffer, dtype, local, not local and buffer.private)
