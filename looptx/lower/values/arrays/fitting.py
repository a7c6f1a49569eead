"""Python ints that do not fit into the type of the other operand: when that is told.

NumPy looks at both operands when both are computed: what the right one raises comes
first. C computes the left one, and looks at it, first.
"""

from __future__ import annotations

from looptx.lower.kinds import fail
from looptx.lower.tree import Expr, inside
from looptx.lower.values.literals import FITS
from looptx.lower.values.operators import Operation, operation
from looptx.model.dtypes import DTYPES
from looptx.model.records import replace

_EITHER_WAY = frozenset("+*&|^")
"""Operations on integers that give the same either way round."""


def fitted(op: str, left: Expr, right: Expr, *, again: bool) -> Operation:
    """``left op right``, which raises first what Python raises first.

    Args:
        op: the operator. left, right: the operands.
        again: whether the loops may leave off, and start again as written.

    Raises:
        Unsupported: as for ``operation``; LX504 where they may not, but would have to.
    """
    found = operation(op, left, right)
    if not _raises(right) or not _is_early(found.value, left, right):
        return found
    whole = all(DTYPES[x.dtype].is_integer for x in found.value.kind.members)
    if op in _EITHER_WAY and whole and not _raises(left):
        return Operation(operation(op, right, left).value)
    if not again:
        fail("an integer that may not fit, beside what may raise as well")
    return Operation(_leaving(found.value, left, right))


def _raises(value: Expr) -> bool:
    """Whether a value may raise."""
    return any(part.raises for part in inside(value))


def _is_early(value: Expr, left: Expr, right: Expr) -> bool:
    """Whether an operation looks whether its left operand fits before it has the right.

    Args:
        value: the operation. left, right: its operands.
    """
    if _is(value, left) or _is(value, right):
        return False
    called = value.intrinsic
    if called is not None and called.operation == "fit":
        # The right one raises in what is looked at; the left one may, too.
        return _raises(left) or not _raises(value.parts[0])
    return any(_is_early(part, left, right) for part in value.parts)


def _is(value: Expr, operand: Expr) -> bool:
    """Whether a value is an operand, as one of its types."""
    return replace(value, kind=operand.kind, tag=operand.tag) == operand


def _leaving(value: Expr, left: Expr, right: Expr) -> Expr:
    """An operation that leaves the loops to Python where its left operand fits not.

    Args:
        value: the operation. left, right: its operands.
    """
    if _is(value, left) or _is(value, right):
        return value
    parts = (*(_leaving(part, left, right) for part in value.parts),)
    called = value.intrinsic
    if called is not None and called.operation == "fit":
        called = replace(called, operation=FITS)
    return replace(value, parts=parts, intrinsic=called)
