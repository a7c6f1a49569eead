"""Small integers and truth in vectors: loaded as they lie, and computed in more bits.

They become integers of 32 bits or more as soon as they are loaded, which takes one
instruction; of what is added and multiplied then, 32 bits are kept while they hold it.
"""

from __future__ import annotations

from typing import Protocol

from looptx.lower.kinds import of
from looptx.lower.tree import Expr, number
from looptx.lower.vectors.masks.conditions import COMPARISONS, Lanes, chosen, condition
from looptx.lower.vectors.masks.masked import cast, integers, uniform
from looptx.lower.vectors.scalar import LOADED, Scalar
from looptx.lower.vectors.spans import span
from looptx.model.dtypes import DTYPES
from looptx.model.records import replace
from looptx.model.types import ScalarType

_SIGNS = ("+", "-", "*")
_BITS = ("&", "|", "^")
_TESTS = (*COMPARISONS, "and", "or", "not")


class Loads(Lanes, Protocol):
    """What makes vectors of values, some of them in memory."""

    def value(self, expr: Expr) -> Expr:
        """A value that varies, in all lanes; its type is one of numbers, or loaded."""

    def each(self, expr: Expr) -> Expr:
        """A value computed for one lane after the other."""

    def step(self, cell: Expr) -> int:
        """How far apart in memory the cells of neighbours are; 0 if not known."""


def is_loaded(w: Loads, expr: Expr) -> bool:
    """Whether it is small integers, or truth, that lie beside each other in memory."""
    known = expr.op == "cell" and expr.kind.dtype in LOADED
    return known and w.step(expr) != 0


def seen(cell: Expr) -> Expr:
    """Such a cell as the number that C sees in memory."""
    kind = of(ScalarType(DTYPES[cell.kind.dtype].in_memory.name))
    return replace(cell, kind=kind)


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


def small(w: Loads, expr: Expr, dtype: str) -> Expr:
    """A value in all lanes, in an integer of few bits as memory has it.

    Args:
        w: makes vectors. expr: the value.
        dtype: that integer, whose bits are all that is kept.
    """
    if not w.varies(expr):
        return uniform(w, expr, dtype)
    have = expr.kind.dtype
    own = DTYPES[have].in_memory.name
    if have == "bool" and (expr.op in _TESTS or is_loaded(w, expr)):
        one = w.call("splat", own, number(1))
        bits = condition(w, expr, integers(own))
        found = Expr("&", one.kind, (one, bits), lanes=w.lanes)
    elif is_loaded(w, expr) or expr.op == "name" or have not in LOADED:
        found = w.value(expr)
    elif expr.op == "choice":
        found = chosen(w, expr, own)
    elif expr.op == "cast" and DTYPES[expr.parts[0].kind.dtype].is_integer:
        found = small(w, expr.parts[0], own)
    elif expr.op in (*_SIGNS, *_BITS):
        # What they give is kept to as many bits, whatever C computes it in.
        both = tuple(small(w, part, own) for part in expr.parts)
        found = Expr(expr.op, both[0].kind, both, lanes=w.lanes)
    else:
        found = w.each(expr)
    return cast(w, found, dtype)
