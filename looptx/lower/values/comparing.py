"""Python's comparisons of typed values, each exactly NumPy's or Python's."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.lower import advice
from looptx.lower.kinds import INT, UNSIGNED, fail, join, of
from looptx.lower.limits import EXACT
from looptx.lower.tree import Expr, both, dangers, intrinsic, number
from looptx.lower.types import common
from looptx.lower.values.alternatives import each, own, real
from looptx.lower.values.literals import literal, widened
from looptx.lower.values.operators import steer
from looptx.model.dtypes import DTYPES, FLOATS, INTEGERS
from looptx.model.records import replace
from looptx.model.types import ScalarType

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def chain(node: ast.Compare, parts: Sequence[Expr]) -> Expr:
    """Some comparisons, all of which are to hold, as a value.

    Args:
        node: the comparisons. parts: what they compare.
    """
    signs = [COMPARISONS.get(type(op), "") for op in node.ops]
    if not all(signs):
        same = any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)
        hint = advice.EQUALS if same else advice.SINGLY
        fail(f"the comparison `{ast.unparse(node)}`", hint=hint)
    found = [compare(*one) for one in zip(signs, parts, parts[1:], strict=False)]
    if len(found) == 1:
        return found[0]
    return replace(both(*found), kind=join(*(value.kind for value in found)))


def with_none(value: Expr, op: ast.cmpop) -> Expr:
    """Whether a value is None, which nothing is that has a type in C.

    Args:
        value: it. op: whether it is asked to be, or not to be.
    """
    if not isinstance(op, ast.Is | ast.IsNot) or dangers([value]):
        fail("a comparison with None", hint="write `x is None`")
    return literal(isinstance(op, ast.IsNot))


def compare(op: str, left: Expr, right: Expr) -> Expr:
    """``left op right`` as a condition."""
    what = f"how `{op}` compares"
    return each(lambda one, two: _compared(op, one, two), left, right, what=what)


def _compared(op: str, left: Expr, right: Expr) -> Expr:
    """A comparison of values of one type each."""
    (one,), (two,) = left.kind.members, right.kind.members
    kind = common(one, two)
    if kind is None:
        fail(f"`{op}` of {one} and {two}")
    dtype = kind.dtype
    whole = {one.dtype, two.dtype} <= {"bool", *INTEGERS}
    if UNSIGNED in (one, two):
        if not whole:
            fail(f"`{op}` of {one} and {two}")
        dtype = "int64"
    if whole and (dtype in FLOATS or (dtype != "bool" and one.weak != two.weak)):
        dtype = "int64"  # NumPy compares integers of any types exactly.
    if whole and any(DTYPES[side.kind.dtype].is_inexact for side in (left, right)):
        if all(_is_exact(side) for side in (left, right)):
            dtype = "float64"
        else:
            left, right = own(left), own(right)
    if DTYPES[dtype].is_complex and op not in ("==", "!="):
        fail("the order of complex numbers")
    truths = of(ScalarType("bool", one.weak and two.weak))
    if not DTYPES[dtype].is_complex:
        left, right = real(left), real(right)
    if DTYPES[dtype].is_inexact:
        left, right = steer(left, right, dtype)
    elif dtype == "int64":
        left, right = _signed(left, right)
    return Expr(op, truths, (left, right))


def _is_exact(value: Expr) -> bool:
    """Whether a double has an integer: it is held in one, or it is a small literal."""
    small = isinstance(value.literal, int) and abs(value.literal) < EXACT
    return small or value.kind.dtype == "float64"


def _signed(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """What C compares as the integers that two values are, whatever their signs."""
    order = of(INT)
    if left.kind.dtype == right.kind.dtype == "uint64":
        # An integer of Python's may be held in what holds elements, too.
        return left, right
    if right.kind.dtype == "uint64":
        return intrinsic("order", order, left, right, dtype="uint64"), number(0)
    if left.kind.dtype == "uint64":
        return number(0), intrinsic("order", order, right, left, dtype="uint64")
    if DTYPES[left.kind.dtype].is_unsigned or DTYPES[right.kind.dtype].is_unsigned:
        return widened(left), right
    return left, right
