"""Substitution in expressions and conditions, and the names that they depend on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from looptx.model.expr.algebra import add, floordiv, maximum, minimum, mod, mul
from looptx.model.expr.conditions import compare, conj, disj, negate, select
from looptx.model.expr.terms import (
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
    walk,
)

_Change: TypeAlias = Callable[[IntExpr], IntExpr]


def rewrite(expr: IntExpr, leaf: Mapping[IntExpr, IntExpr]) -> IntExpr:
    """Replace the ``Var`` and ``Start`` found in ``leaf``; the result is simplified."""
    return changed(expr, lambda name: leaf.get(name, name))


def rewrite_cond(cond: Cond, leaf: Mapping[IntExpr, IntExpr]) -> Cond:
    """``rewrite`` on every expression of a condition."""
    return changed_cond(cond, lambda name: leaf.get(name, name))


def _same(expr: IntExpr) -> IntExpr:
    return expr


def changed(expr: IntExpr, leaf: _Change, made: _Change = _same) -> IntExpr:
    """An expression with its parts changed, the innermost first.

    Args:
        expr: the expression.
        leaf: what stands for a name.
        made: what stands for all that is made of others, which is simplified already.

    Returns:
        The new expression, simplified.
    """
    match expr:
        case Const():
            return expr
        case Var() | Start():
            return leaf(expr)
        case Add(terms):
            expr = add(*(changed(term, leaf, made) for term in terms))
        case Mul(factors):
            expr = mul(*(changed(factor, leaf, made) for factor in factors))
        case FloorDiv(value, by):
            expr = floordiv(changed(value, leaf, made), changed(by, leaf, made))
        case Mod(value, by):
            expr = mod(changed(value, leaf, made), changed(by, leaf, made))
        case Min(args):
            expr = minimum(*(changed(arg, leaf, made) for arg in args))
        case Max(args):
            expr = maximum(*(changed(arg, leaf, made) for arg in args))
        case Select(cond, then, other):
            chosen = changed_cond(cond, leaf, made)
            cases = changed(then, leaf, made), changed(other, leaf, made)
            expr = select(chosen, *cases)
    return made(expr)


def changed_cond(cond: Cond, leaf: _Change, made: _Change = _same) -> Cond:
    """``changed`` on every expression of a condition.

    Args:
        cond: the condition.
        leaf: what stands for a name.
        made: what stands for all that is made of others.

    Returns:
        The new condition, simplified.
    """
    match cond:
        case Compare(op, left, right):
            return compare(op, changed(left, leaf, made), changed(right, leaf, made))
        case And(args):
            return conj(*(changed_cond(arg, leaf, made) for arg in args))
        case Or(args):
            return disj(*(changed_cond(arg, leaf, made) for arg in args))
        case Not(arg):
            return negate(changed_cond(arg, leaf, made))


def substitute(expr: IntExpr, values: Mapping[str, IntExpr]) -> IntExpr:
    """Replace variables by name."""
    return rewrite(expr, {Var(name): value for name, value in values.items()})


def variables(expr: IntExpr | Cond) -> frozenset[str]:
    """The names of all ``Var`` in an expression or a condition."""
    return frozenset(node.name for node in walk(expr) if isinstance(node, Var))


def divisors(expr: IntExpr | Cond) -> frozenset[str]:
    """The names that divisors depend on: where one is 0, there is no value."""
    divisions = (node for node in walk(expr) if isinstance(node, FloorDiv | Mod))
    return frozenset().union(*(variables(node.divisor) for node in divisions))
