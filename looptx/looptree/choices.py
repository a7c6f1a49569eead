"""Least and greatest values without ``min`` and ``max``: as conditional expressions.

Rewritten Python needs them where these names mean something else.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from looptx.model.expr import (
    And,
    Compare,
    Cond,
    IntExpr,
    Max,
    Min,
    Select,
    with_exprs,
    with_parts,
)


def chosen(expr: IntExpr, hidden: Collection[str]) -> IntExpr:
    """The same value, without those of ``min`` and ``max`` that are ``hidden``."""
    same = with_parts(expr, partial(chosen, hidden=hidden))
    match same:
        case Min(args) if "min" in hidden:
            return _first("<=", args)
        case Max(args) if "max" in hidden:
            return _first(">=", args)
    return same


def chosen_cond(cond: Cond, hidden: Collection[str]) -> Cond:
    """``chosen`` for every expression of a condition."""
    return with_exprs(cond, partial(chosen, hidden=hidden))


def _first(op: str, args: tuple[IntExpr, ...]) -> IntExpr:
    """The first of some values that is in this relation to all of them."""
    value, *others = args
    if not others:
        return value
    best = And(tuple(Compare(op, value, other) for other in others))
    return Select(best, value, _first(op, tuple(others)))
