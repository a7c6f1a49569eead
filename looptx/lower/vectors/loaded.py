"""Small integers and truth in vectors: loaded as they lie, and computed in more bits.

They become integers of 32 bits or more as soon as they are loaded, which takes one
instruction; of what is added and multiplied then, 32 bits are kept while they hold it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from looptx.lower.kinds import of
from looptx.lower.tree import Expr
from looptx.lower.vectors.masks import Lanes
from looptx.lower.vectors.scalar import Scalar
from looptx.lower.vectors.spans import span
from looptx.model.dtypes import DTYPES
from looptx.model.types import ScalarType

LOADED = {
    **dict.fromkeys(("bool", "int8", "uint8", "int16", "uint16"), "int32"),
    "uint32": "int64",
}
"""The types of which vectors are loaded, and the integers that they become at least."""

_SIGNS = ("+", "-", "*")


class Loads(Lanes, Protocol):
    """What makes vectors of values, some of them in memory."""

    def step(self, cell: Expr) -> int:
        """How far apart in memory the cells of neighbours are; 0 if not known."""


def is_loaded(w: Loads, expr: Expr) -> bool:
    """Whether it is small integers, or truth, that lie beside each other in memory."""
    known = expr.op == "cell" and expr.kind.dtype in LOADED
    return known and w.step(expr) != 0


def seen(cell: Expr) -> Expr:
    """Such a cell as the number that C sees in memory."""
    return replace(cell, kind=of(ScalarType(DTYPES[cell.kind.dtype].in_memory.name)))


def widened(w: Loads, found: Expr, dtype: str) -> Expr:
    """A vector that has been loaded, as one of integers for a type.

    Args:
        w: makes vectors. found: it.
        dtype: what it is for; if that is no integer, it is the least that holds it.

    Raises:
        Scalar: the integer does not hold it.
    """
    have, wanted = DTYPES[found.kind.dtype], DTYPES[dtype]
    least = DTYPES[LOADED[have.name]]
    wide = wanted if wanted.is_integer else least
    if wide.bits < least.bits:
        raise Scalar(f"{have.name} as {dtype}")
    return w.call(f"from_{have.short}", wide.name, found)


def computed(w: Loads, expr: Expr) -> Expr | None:
    """What is loaded, and computed in 32 bits; None for what may outgrow them."""
    small = expr.op in _SIGNS and _is_made(w, expr) and span(expr) is not None
    return _small(w, expr) if small else None


def _is_made(w: Loads, expr: Expr) -> bool:
    """Whether it is sums and products of what is loaded, and of numbers."""
    if expr.op in (*_SIGNS, "cast"):
        return all(_is_made(w, part) for part in expr.parts)
    return expr.op == "number" or is_loaded(w, expr)


def _small(w: Loads, expr: Expr) -> Expr:
    """Such an integer in all lanes, in 32 bits."""
    if expr.op == "cast":
        return _small(w, expr.parts[0])
    if expr.op not in _SIGNS:
        return w.vector(expr, "int32")
    both = tuple(_small(w, part) for part in expr.parts)
    return Expr(expr.op, of(ScalarType("int32")), both, lanes=w.lanes)
