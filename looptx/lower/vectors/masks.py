"""Conditions in the lanes of a vector, and the functions of numbers that have vectors.

A mask has an integer in each lane, of the size of what it chooses from: all its bits
are set, or none is. Both values of a choice are computed in all lanes, so what they
read must be read in any case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from looptx.lower.checks import THERE
from looptx.lower.kinds import INT, exact, of
from looptx.lower.tree import Assign, Expr, inside, number
from looptx.lower.types import RANK
from looptx.lower.vectors.scalar import Scalar
from looptx.model.dtypes import DTYPES
from looptx.model.functions import FUNCTIONS as KNOWN
from looptx.model.functions import Native
from looptx.model.types import ScalarType

COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
"""What comparisons are called as functions of vectors."""

FUNCTIONS = frozenset(
    ("min", "max", "minimum", "maximum", "plus", "minus", "fabs", "sqrt")
)
"""The functions that have vectors, with each lane as the function has it."""

LOOPS = frozenset(
    row.own
    for row in KNOWN.values()
    if row.native is Native.UFUNC and not row.alias and row.own != "power"
)
"""NumPy's functions, whose inner loops compute several numbers as they compute each. A
single exponent may be treated as none of several is."""

CELLS = ("cell", "local cell")


class Lanes(Protocol):
    """What makes vectors of values.

    Attributes:
        lanes: how many.
        sure: the cells that every iteration reads, or writes, whatever its data.
    """

    lanes: int
    sure: frozenset[Expr]

    def varies(self, expr: Expr) -> bool:
        """Whether a value is another one in each lane."""

    def vector(self, expr: Expr, dtype: str) -> Expr:
        """A value in all lanes, of a type that holds it."""

    def call(self, operation: str, dtype: str, *args: Expr, rules: str = "") -> Expr:
        """A function of vectors.

        Args:
            operation: which. dtype: of the numbers it gives.
            args: what it gets. rules: as of an ``Intrinsic``.
        """


def certain(lines: Iterable[Assign]) -> frozenset[Expr]:
    """The cells that statements touch whatever their data."""
    found: set[Expr] = set()
    for line in lines:
        for expr in (line.target, line.value):
            found.update(one for one in _evaluated(expr) if one.op in CELLS)
    return frozenset(found)


def _evaluated(expr: Expr) -> Iterator[Expr]:
    """An expression and those of its parts that are computed in any case."""
    yield expr
    lazy = expr.op in ("choice", "and", "or")
    for part in expr.parts[:1] if lazy else expr.parts:
        yield from _evaluated(part)


GUARDED = "guarded"
"""What is known of a choice that stands for a statement which does not always run."""


def chosen(w: Lanes, expr: Expr) -> Expr:
    """One of two values in each lane.

    Raises:
        Scalar: it has no mask; branches in each lane are slower than those of the loop.
    """
    cond, *values = expr.parts
    dtype = expr.kind.dtype
    _check(w, *values, guarded=GUARDED in expr.facts)
    found = _mask(w, cond, integers(dtype))
    return w.call("choose", dtype, found, *(w.vector(one, dtype) for one in values))


def _check(w: Lanes, *exprs: Expr, guarded: bool = False) -> None:
    """Make sure that all lanes may compute what only some of them need.

    Args:
        w: makes vectors. exprs: what they would compute.
        guarded: whether the others do not run the statement at all.
    """
    for part in (part for expr in exprs for part in inside(expr)):
        known = THERE in part.facts and not guarded
        if part.op in CELLS and not known and part not in w.sure:
            reason = f"`{part.name}` is read only where a condition holds"
            raise Scalar(reason, "read it in front of the condition")


def integers(dtype: str) -> str:
    """The integers of a mask that chooses from numbers of a type."""
    return f"int{DTYPES[dtype].bits}"


def _mask(w: Lanes, cond: Expr, dtype: str) -> Expr:
    """A condition in each lane, in integers of a type."""
    if not w.varies(cond):
        bits = Expr("choice", of(INT), (cond, number(-1), number(0)))
        return w.call("splat", dtype, bits)
    if cond.op in COMPARISONS:
        return _compared(w, cond, dtype)
    if cond.op not in ("and", "or", "not"):
        raise Scalar("a condition has no vectors", "write it as a comparison")
    _check(w, *cond.parts[1:])
    kind = of(ScalarType(dtype))
    first, *others = (_mask(w, part, dtype) for part in cond.parts)
    if cond.op == "not":
        return Expr("~", kind, (first,), lanes=w.lanes)
    for other in others:
        sign = "&" if cond.op == "and" else "|"
        first = Expr(sign, kind, (first, other), lanes=w.lanes)
    return first


def _compared(w: Lanes, cond: Expr, dtype: str) -> Expr:
    one, two = cond.parts
    common = _common(one, two)
    both = w.vector(one, common), w.vector(two, common)
    found = w.call(COMPARISONS[cond.op], common, *both)
    have = integers(common)
    found = replace(found, kind=of(ScalarType(have)))
    if have == dtype:
        return found
    return w.call(f"from_{DTYPES[have].short}", dtype, found)


def _common(one: Expr, two: Expr) -> str:
    """The type in which C compares two numbers."""
    for value, other in ((one, two), (two, one)):
        literal, dtype = value.literal, other.kind.dtype
        if isinstance(literal, int) and dtype != "bool" and exact(literal, dtype):
            return dtype
    return max(one.kind.dtype, two.kind.dtype, key=RANK.__getitem__)


def function(w: Lanes, expr: Expr) -> Expr | None:
    """A call in each lane; None for one that has no vectors."""
    called = expr.intrinsic
    if called is None or called.dtype != expr.kind.dtype:
        return None
    if called.rules == "numpy" and called.operation in LOOPS:
        rules = called.rules
    elif called.rules in ("", "c") and called.operation in FUNCTIONS:
        rules = ""
    else:
        return None
    parts = (w.vector(part, called.dtype) for part in expr.parts)
    return w.call(called.operation, called.dtype, *parts, rules=rules)
