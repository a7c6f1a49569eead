"""Smart constructors of conditions: decided where the sign of a difference is known."""

from __future__ import annotations

from looptx.model.expr.algebra import add, sub
from looptx.model.expr.measure import interval
from looptx.model.expr.terms import (
    FALSE,
    ONE,
    TRUE,
    Add,
    And,
    Compare,
    Cond,
    Const,
    IntExpr,
    Not,
    Or,
    Select,
)

MIRRORED = {"<": ">", "<=": ">=", "==": "==", "!=": "!=", ">=": "<=", ">": "<"}
"""The operators of comparisons with their sides exchanged."""
_NEGATED = {"<": ">=", "<=": ">", "==": "!=", "!=": "==", ">=": "<", ">": "<="}


def compare(op: str, left: IntExpr, right: IntExpr) -> Cond:
    """``left op right``; decided where the difference has a known sign.

    Args:
        op: one of ``< <= == != >= >``.
        left: an expression.
        right: another.

    Returns:
        TRUE or FALSE where that is known, else the comparison in its usual form.
    """
    apart = interval(sub(left, right))
    if apart.at_least(1):
        return TRUE if op in (">", ">=", "!=") else FALSE
    if apart.at_most(-1):
        return TRUE if op in ("<", "<=", "!=") else FALSE
    if apart.low == 0 and op in (">=", "<"):
        return TRUE if op == ">=" else FALSE
    if apart.high == 0 and op in ("<=", ">"):
        return TRUE if op == "<=" else FALSE
    if apart.number == 0:
        return TRUE if op == "==" else FALSE
    if isinstance(left, Const):
        op, left, right = MIRRORED[op], right, left
    match op, right:
        case ">=", Add((*_, Const(1))) | Const(1):
            return Compare(">", left, sub(right, ONE))
        case "<=", Add((*_, Const(-1))) | Const(-1):
            return Compare("<", left, add(right, ONE))
        case "<", Add((*_, Const(1))) | Const(1):
            return Compare("<=", left, sub(right, ONE))
        case ">", Add((*_, Const(-1))) | Const(-1):
            return Compare(">=", left, add(right, ONE))
    return Compare(op, left, right)


def conj(*args: Cond) -> Cond:
    """All of ``args``: flat, without what is true or repeated."""
    return _junction(And, Or, args)


def disj(*args: Cond) -> Cond:
    """Any of ``args``: flat, without what is false or repeated."""
    return _junction(Or, And, args)


def _junction(
    kind: type[And] | type[Or], dual: type[And] | type[Or], args: tuple[Cond, ...]
) -> Cond:
    flat: list[Cond] = []
    for arg in args:
        flat.extend(arg.args if isinstance(arg, kind) else (arg,))
    unique = tuple(dict.fromkeys(flat))
    if dual(()) in unique:
        return dual(())
    return unique[0] if len(unique) == 1 else kind(unique)


def select(cond: Cond, then: IntExpr, other: IntExpr) -> IntExpr:
    """``then if cond else other``.

    Args:
        cond: the condition.
        then: the value where it holds.
        other: the value elsewhere.

    Returns:
        One of the two where the condition does not matter.
    """
    if cond == TRUE or then == other:
        return then
    return other if cond == FALSE else Select(cond, then, other)


def negate(cond: Cond) -> Cond:
    """The opposite condition, negation pushed to the comparisons."""
    match cond:
        case Compare(op, left, right):
            return Compare(_NEGATED[op], left, right)
        case And(args):
            return Or(tuple(map(negate, args)))
        case Or(args):
            return And(tuple(map(negate, args)))
        case Not(arg):
            return arg
