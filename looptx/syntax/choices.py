"""Least and greatest values without ``min`` and ``max``: as conditional expressions.

Rewritten Python needs them where these names mean something else.
"""

from __future__ import annotations

from collections.abc import Collection

from looptx.model.expr import (
    Add,
    And,
    Compare,
    Cond,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Not,
    Or,
    Select,
    Start,
    Var,
)


def chosen(expr: IntExpr, hidden: Collection[str]) -> IntExpr:
    """The same value, without those of ``min`` and ``max`` that are ``hidden``."""
    match expr:
        case Const() | Var() | Start():
            return expr
        case Add(parts) | Mul(parts) | Min(parts) | Max(parts):
            inner = tuple(chosen(part, hidden) for part in parts)
            name = {Min: "min", Max: "max"}.get(type(expr))
            return _first(name, inner) if name in hidden else type(expr)(inner)
        case FloorDiv(value, divisor) | Mod(value, divisor):
            return type(expr)(chosen(value, hidden), chosen(divisor, hidden))
        case Select(cond, then, other):
            return Select(
                chosen_cond(cond, hidden), chosen(then, hidden), chosen(other, hidden)
            )


def chosen_cond(cond: Cond, hidden: Collection[str]) -> Cond:
    """``chosen`` for every expression of a condition."""
    match cond:
        case Compare(op, left, right):
            return Compare(op, chosen(left, hidden), chosen(right, hidden))
        case And(args) | Or(args):
            return type(cond)(tuple(chosen_cond(arg, hidden) for arg in args))
        case Not(arg):
            return Not(chosen_cond(arg, hidden))


def _first(name: str | None, args: tuple[IntExpr, ...]) -> IntExpr:
    """The first of some values that is the least of them, or the greatest."""
    value, *others = args
    if not others:
        return value
    op = "<=" if name == "min" else ">="
    best = And(tuple(Compare(op, value, other) for other in others))
    return Select(best, value, _first(name, tuple(others)))
