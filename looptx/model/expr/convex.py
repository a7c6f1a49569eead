"""Comparisons with least and greatest values as ones without.

``j < min(n, i + 3)`` is ``j < n and j < i + 3``: one set of integers without corners
turned inward, where cases for which value is the least would be two.
"""

from __future__ import annotations

from looptx.model.expr.algebra import add, linear, mul, sub
from looptx.model.expr.conditions import conj
from looptx.model.expr.terms import ZERO, Compare, Cond, Const, IntExpr, Max, Min


def convex(cond: Compare) -> Cond:
    """The same condition as comparisons that all hold, as far as that can be said."""
    match cond:
        case Compare("<" | "<=" as op, left, right):
            left, right = right, left
        case Compare(">" | ">=" as op, left, right):
            pass
        case _:
            return cond
    parts = _parts(sub(left, right))
    if len(parts) == 1:
        return cond
    return conj(*(Compare(op.replace("<", ">"), part, ZERO) for part in parts))


def _parts(value: IntExpr) -> list[IntExpr]:
    """Expressions the least of which is a value."""
    for term, factor in linear(value)[0].items():
        if isinstance(term, Min if factor > 0 else Max):
            rest = add(value, mul(Const(-factor), term))
            args = (add(rest, mul(Const(factor), arg)) for arg in term.args)
            return [part for arg in args for part in _parts(arg)]
    return [value]
