"""The ranges of integers that are made of few bits, as their text alone tells them."""

from __future__ import annotations

from looptx.lower.tree import Expr, Intrinsic
from looptx.lower.vectors.masks.conditions import COMPARISONS
from looptx.lower.vectors.masks.masked import CELLS
from looptx.model.dtypes import DTYPES
from looptx.model.intervals.constant import ANY, Interval, exactly

LIMIT = (1 << 31) - 2
"""The greatest integer, and that below 0, that counts as small: 32 bits hold it, and
one that is farther from 0."""

ABS = Intrinsic("abs")

SIGNED = ("int64_t", "Py_ssize_t")
"""C's integers of 64 bits with a sign."""


def span(expr: Expr) -> Interval | None:
    """The range of an integer that, as all that it is made of, is small."""
    found = _found(expr)
    return found if found.at_least(-LIMIT) and found.at_most(LIMIT) else None


def reach(found: Interval) -> int:
    """How far the farthest number of a range that has two ends is from 0."""
    assert found.low is not None and found.high is not None
    return max(-found.low, found.high)


def _found(expr: Expr) -> Interval:
    """As ``span``; any, where it is not small."""
    match expr:
        case Expr("number", number=int(value)):
            return exactly(int(value))
        case Expr(op, kind=kind) if op in CELLS:
            own = DTYPES[kind.dtype]
            if own.kind == "b":
                return Interval(*own.in_memory.range)
            small = own.is_integer and own.bits <= 16
            return Interval(*own.range) if small else ANY
        case Expr(op) if op in (*COMPARISONS, "and", "or", "not"):
            return Interval(0, 1)
    values = expr.parts[1:] if expr.op == "choice" else expr.parts
    known = [own for own in map(span, values) if own is not None]
    if len(known) < len(values):
        return ANY
    match expr:
        case Expr("cast", name=name) if name in (*SIGNED, "int32_t"):
            return known[0]
        case Expr("choice"):
            return known[0].join(known[1])
        case Expr("call", intrinsic=called) if called == ABS:
            return Interval(0, reach(known[0]))
        case Expr("neg"):
            return -known[0]
        case Expr("+"):
            return known[0] + known[1]
        case Expr("-"):
            return known[0] + -known[1]
        case Expr("*"):
            return known[0] * known[1]
    return ANY
