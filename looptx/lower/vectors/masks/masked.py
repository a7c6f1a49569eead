"""What only those lanes read and write for which a condition holds.

Vectors that a condition guards are loaded and stored with its mask. So no lane for
which it fails touches memory: neither a cell that there is not, nor one that another
thread may write. (If-conversion: Allen, Kennedy, Porterfield, Warren, POPL 1983; with
masked vectors: Shin, Hall, Chame, CGO 2005.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from looptx.lower.checks import THERE
from looptx.lower.kinds import BOOL, FLOAT, INT, of
from looptx.lower.tree import (
    Assign,
    Expr,
    If,
    Intrinsic,
    Run,
    Stmt,
    assignments,
    constant,
    infix,
    inside,
    number,
    parts,
)
from looptx.lower.vectors.places import computed_of
from looptx.lower.vectors.scalar import Scalar, check_number
from looptx.model.dtypes import DTYPES
from looptx.model.records import dataclass, replace

CELLS = ("cell", "local cell")

TOUCHED = (*CELLS, "name", "at")
"""What has the name of an array: a call is given that, and may read any cell."""


def cells(block: Sequence[Stmt]) -> list[Expr]:
    """The cells in statements."""
    return [part for part in parts(block) if part.op in CELLS]


@dataclass(frozen=True, slots=True)
class Mask:
    """The lanes for which conditions hold.

    Attributes:
        bits: an integer for each lane: all of its bits are set, or none is.
        bounds: whether a condition is on positions: it may keep from cells that there
            are not, while one on data chooses from cells that there are.
    """

    bits: Expr
    bounds: bool


class Masked(Protocol):
    """What makes vectors of values, some of which are guarded.

    Attributes:
        lanes: how many.
        mask: the lanes that run what is made now; None for all.
        sure: the cells that every iteration reads, or writes, whatever its data.
    """

    lanes: int
    mask: Mask | None
    sure: frozenset[Expr]

    def call(self, operation: str, dtype: str, *args: Expr, rules: str = "") -> Expr:
        """A function of vectors.

        Args:
            operation: which. dtype: of the numbers it gives.
            args: what it gets. rules: as of an ``Intrinsic``.
        """

    def at(self, expr: Expr, k: int) -> Expr:
        """A value of one lane."""

    def step(self, cell: Expr) -> int:
        """How far apart in memory the cells of neighbours are; 0 if not known."""

    def held(self, vector: Expr, stem: str) -> Expr:
        """A variable that holds a vector from here on."""


def integers(dtype: str) -> str:
    """The integers of a mask that chooses from numbers of a type."""
    return f"int{DTYPES[dtype].bits}"


def is_masked(block: Sequence[Stmt]) -> bool:
    """Whether some lanes alone are loaded or stored."""
    return any(part.op == "address" for part in parts(block))


def wide(node: Stmt) -> str:
    """The integers of a mask for what is assigned under a condition."""
    bits = [DTYPES[one.target.kind.dtype].bits for one in assignments([node])]
    return "int64" if max(bits, default=64) > 32 else "int32"


def cast(w: Masked, found: Expr, dtype: str) -> Expr:
    """A vector, or a mask, by C's conversion to a type.

    Args:
        w: makes vectors. found: it. dtype: the type.
    """
    have = found.kind.dtype
    word = f"from_{DTYPES[have].short}"
    return found if have == dtype else w.call(word, dtype, found)


def inverted(bits: Expr) -> Expr:
    """The other lanes."""
    return Expr("~", bits.kind, (bits,), lanes=bits.lanes)


@contextmanager
def under(w: Masked, bits: Expr, *, bounds: bool = False) -> Iterator[None]:
    """Of the lanes that run what is made, only some do so meanwhile.

    Args:
        w: makes vectors. bits: the lanes. bounds: as of a ``Mask``.
    """
    before = w.mask
    if before is not None:
        around = cast(w, before.bits, bits.kind.dtype)
        bits = Expr("&", bits.kind, (around, bits), lanes=w.lanes)
        bounds = bounds or before.bounds
    w.mask = Mask(w.held(bits, "mask"), bounds)
    yield
    w.mask = before


def hidden(w: Masked, *exprs: Expr) -> list[str]:
    """The arrays of which there may be no cell in lanes that do not read it."""
    bounds = w.mask is not None and w.mask.bounds
    return [
        part.name
        for expr in exprs
        for part in inside(expr)
        if part.op in CELLS
        and part not in w.sure
        and (bounds or THERE not in part.facts)
    ]


def uniform(w: Masked, expr: Expr, dtype: str) -> Expr:
    """A value that all lanes share; none of them may want it.

    Args:
        w: makes vectors. expr: the value. dtype: of the vector.
    """
    if w.mask is not None and hidden(w, expr):
        some = Intrinsic("any", w.mask.bits.kind.dtype, lanes=w.lanes)
        found = Expr("call", of(INT), (w.mask.bits,), intrinsic=some)
        expr = _where(found, expr)
    return w.call("splat", dtype, expr)


def load(w: Masked, cell: Expr, step: int) -> Expr:
    """Neighbours in memory, those that lanes read which have run so far.

    Args:
        w: makes vectors.
        cell: that of a lane. step: how far apart neighbours are, 1 or -1.
    """
    first, word, bits = _place(w, cell, step)
    dtype = cell.kind.dtype
    found = w.call(f"get_{word}", dtype, first, bits)
    return found if step == 1 else w.call("reverse", dtype, found)


def store(w: Masked, target: Expr, step: int, value: Expr) -> list[Stmt]:
    """Cells that get a value in the lanes that run.

    Args:
        w: makes vectors.
        target: the cell of a lane.
        step: how far apart neighbours are, if that is 1 or -1; 0 for all else.
        value: the vector.
    """
    assert w.mask is not None
    if not step:
        value = w.held(value, "new")
        lines = (Assign(w.at(target, k), lane(value, k)) for k in range(w.lanes))
        return [If(_runs(w.mask.bits, k), (line,)) for k, line in enumerate(lines)]
    dtype = target.kind.dtype
    first, word, bits = _place(w, target, step)
    value = value if step == 1 else w.call("reverse", dtype, value)
    return [Run(w.call(f"put_{word}", dtype, first, bits, value))]


def _place(w: Masked, cell: Expr, step: int) -> tuple[Expr, str, Expr]:
    """Where a vector begins in memory, and its mask with the word for its type.

    Args:
        w: makes vectors. cell, step: as of ``load``.
    """
    assert w.mask is not None
    bits = w.mask.bits
    first = replace(w.at(cell, 0 if step == 1 else w.lanes - 1), lanes=w.lanes)
    if step != 1:
        bits = w.call("reverse", bits.kind.dtype, bits)
    word = DTYPES[bits.kind.dtype].short
    return Expr("address", of(INT), (first,)), word, bits


def _runs(bits: Expr, k: int) -> Expr:
    """Whether a lane runs."""
    return infix("!=", lane(bits, k), number(0), of(BOOL))


def _where(cond: Expr, expr: Expr) -> Expr:
    """A value where a condition holds, and nothing elsewhere."""
    exact = not DTYPES[expr.kind.dtype].is_inexact
    zero = number(0) if exact else constant(0.0, of(FLOAT))
    test = infix("!=", cond, number(0), of(BOOL))
    return Expr("choice", expr.kind, (test, expr, zero))


def lane(vector: Expr, k: int) -> Expr:
    """One number of a vector."""
    function = Intrinsic("lane", vector.kind.dtype, lanes=vector.lanes)
    return Expr("call", vector.kind, (vector, number(k)), intrinsic=function)


def by_lane(w: Masked, expr: Expr) -> Expr:
    """A value computed for one lane after the other.

    Args:
        w: makes vectors. expr: the value.

    Raises:
        Scalar: it is of neighbours that have no vector, which C takes at once, or of
            cells that there may not be in lanes that do not run.
    """
    for cell in computed_of(expr):
        if w.step(cell):
            check_number(cell.kind.dtype)
    for name in hidden(w, expr) if w.mask is not None else ():
        reason = f"`{name}` is read lane by lane, and only where a condition holds"
        raise Scalar(reason, "read it in front of the condition")
    parts_ = (w.at(expr, k) for k in range(w.lanes))
    return w.call("lanes", DTYPES[expr.kind.dtype].in_memory.name, *parts_)
