"""Integer expressions and conditions: one small language for three uses.

Loop bounds and subscripts of the source, positions of a schedule, and bounds of the
generated loops are all values of ``IntExpr``; the conditions over them are ``Cond``.
Division and remainder are Python's (floor, sign of the divisor). The nodes are in
``terms``; the smart constructors (``add``, ``mul``, ``floordiv``, ``mod``), which fold
constants and collect terms, in ``algebra``; both are imported from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from looptx.model.algebra import (
    add,
    distance,
    floordiv,
    linear,
    maximum,
    minimum,
    mod,
    mul,
    neg,
    sub,
    total,
)
from looptx.model.measure import interval, largest, size
from looptx.model.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
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
    with_exprs,
    with_parts,
)

__all__ = [
    "FALSE",
    "MIRRORED",
    "ONE",
    "TRUE",
    "ZERO",
    "Add",
    "And",
    "Compare",
    "Cond",
    "Const",
    "FloorDiv",
    "IntExpr",
    "Max",
    "Min",
    "Mod",
    "Mul",
    "Not",
    "Or",
    "Select",
    "Start",
    "Var",
    "add",
    "changed",
    "changed_cond",
    "compare",
    "conj",
    "disj",
    "distance",
    "divisors",
    "floordiv",
    "interval",
    "largest",
    "linear",
    "maximum",
    "minimum",
    "mod",
    "mul",
    "neg",
    "negate",
    "rewrite",
    "rewrite_cond",
    "select",
    "size",
    "sub",
    "substitute",
    "total",
    "variables",
    "with_exprs",
    "with_parts",
]

_Change: TypeAlias = Callable[[IntExpr], IntExpr]

MIRRORED = {"<": ">", "<=": ">=", "==": "==", "!=": "!=", ">=": "<=", ">": "<"}
"""The operators of comparisons with their sides exchanged."""
_NEGATED = {"<": ">=", "<=": ">", "==": "!=", "!=": "==", ">=": "<", ">": "<="}


def compare(op: str, left: IntExpr, right: IntExpr) -> Cond:
    """``left op right``; decided where the difference has a known sign."""
    low, high = interval(sub(left, right))
    if low is not None and low > 0:
        return TRUE if op in (">", ">=", "!=") else FALSE
    if high is not None and high < 0:
        return TRUE if op in ("<", "<=", "!=") else FALSE
    if low == 0 and op in (">=", "<"):
        return TRUE if op == ">=" else FALSE
    if high == 0 and op in ("<=", ">"):
        return TRUE if op == "<=" else FALSE
    if low == 0 and high == 0:
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
    """``then if cond else other``."""
    if cond == TRUE or then == other:
        return then
    return other if cond == FALSE else Select(cond, then, other)


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
    """``changed`` on every expression of a condition."""
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
    match expr:
        case Const() | Start():
            return frozenset()
        case Var(name):
            return frozenset((name,))
        case Add(parts) | Mul(parts) | Min(parts) | Max(parts):
            return frozenset().union(*map(variables, parts))
        case And(conds) | Or(conds):
            return frozenset().union(*map(variables, conds))
        case FloorDiv(left, right) | Mod(left, right) | Compare(_, left, right):
            return variables(left) | variables(right)
        case Select(cond, then, other):
            return variables(cond) | variables(then) | variables(other)
        case Not(arg):
            return variables(arg)


def divisors(expr: IntExpr | Cond) -> frozenset[str]:
    """The names that divisors depend on: where one is 0, there is no value."""
    match expr:
        case Const() | Start() | Var():
            return frozenset()
        case Add(parts) | Mul(parts) | Min(parts) | Max(parts):
            return frozenset().union(*map(divisors, parts))
        case And(conds) | Or(conds):
            return frozenset().union(*map(divisors, conds))
        case FloorDiv(left, right) | Mod(left, right):
            return divisors(left) | divisors(right) | variables(right)
        case Compare(_, left, right):
            return divisors(left) | divisors(right)
        case Select(cond, then, other):
            return divisors(cond) | divisors(then) | divisors(other)
        case Not(arg):
            return divisors(arg)


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
