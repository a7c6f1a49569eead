"""Where the numbers of lanes lie: places in arrays, and values at other places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, Run, index, used
from looptx.model.expr import (
    Cond,
    Const,
    IntExpr,
    Var,
    linear,
    rewrite_cond,
    substitute,
    variables,
)
from looptx.model.records import replace
from looptx.model.types import ArrayType


def moved(
    expr: Expr, places: Mapping[str, IntExpr], values: Mapping[str, Expr]
) -> Expr:
    """An expression with variables replaced.

    Args:
        expr: it.
        places: integers, by name. values: other numbers, by name.
    """
    if expr.op == "name":
        if expr.name in places:
            return replace(index(places[expr.name]), kind=expr.kind)
        return values.get(expr.name, expr)
    if isinstance(expr.index, IntExpr):
        return replace(expr, index=substitute(expr.index, places))
    if isinstance(expr.index, Cond):
        leaves: dict[IntExpr, IntExpr] = {Var(n): e for n, e in places.items()}
        return replace(expr, index=rewrite_cond(expr.index, leaves))
    parts = tuple(moved(part, places, values) for part in expr.parts)
    return expr if parts == expr.parts else replace(expr, parts=parts)


def integer(place: Expr) -> IntExpr | None:
    """A place as an expression over sizes and loops, if it is one."""
    if place.op == "index":
        assert isinstance(place.index, IntExpr)
        return place.index
    if place.op == "number" and isinstance(place.number, int):
        return Const(place.number)
    return Var(place.name) if place.op == "name" else None


def growth(expr: Expr, variable: str) -> int | None:
    """How much an integer grows from one iteration to the next; None if that differs.

    Args:
        expr: the integer, of nothing else that changes. variable: of the loop.
    """
    if variable not in used((Run(expr),)):
        return 0
    if isinstance(expr.index, IntExpr):
        terms, _ = linear(expr.index)
        others = (one for one in terms if one != Var(variable))
        bent = any(variable in variables(one) for one in others)
        return None if bent else terms.get(Var(variable), 0)
    parts = [growth(part, variable) for part in expr.parts]
    match expr.op, parts:
        case "name", _:
            return 1
        case "cast" | "+", [int(), *_]:
            return None if None in parts else sum(filter(None, parts))
        case "-", [int() as one, int() as two]:
            return one - two
        case "neg", [int() as one]:
            return -one
    return None


def near_axes(scope: Scope) -> dict[str, int]:
    """The axes in which arrays have neighbours beside each other, by C name."""
    found = {}
    for name, kind in scope.types.items():
        if isinstance(kind, ArrayType) and kind.layout in ("C", "F"):
            found[scope.names(name)] = -1 if kind.layout == "C" else 0
    for name in scope.buffers:
        found[scope.names(name)] = -1
    for array, copies in scope.copies.items():
        if found.get(scope.names(array)) == -1:
            found[copies] = -1
    return found


def partners(scope: Scope) -> dict[str, set[str]]:
    """The arrays that may share memory with each, by C name."""
    nest, found = scope.planned.nest, dict[str, set[str]]()
    for name in nest.live_in:
        found[scope.names(name)] = {scope.names(other) for other in nest.others(name)}
    for name, copies in scope.copies.items():
        # The only copy of an array is the array.
        found.setdefault(scope.names(name), set()).add(copies)
        found[copies] = {scope.names(name)}
    return found


def standing(expr: Expr, held: Mapping[Expr, Expr]) -> Expr:
    """An expression with what stands for parts of it, with their types."""
    if expr in held:
        return replace(held[expr], kind=expr.kind)
    parts = tuple(standing(part, held) for part in expr.parts)
    return expr if parts == expr.parts else replace(expr, parts=parts)


def computed_of(expr: Expr) -> Iterator[Expr]:
    """The cells that a value is computed of, not those that say where others are."""
    if expr.op == "cell":
        yield expr
        return
    for part in expr.parts:
        yield from computed_of(part)
