"""Bounds and values in the form people write: the last step before they are printed.

Of the ways to write a sum with a division or a remainder the shortest is taken. Nothing
may be computed with the result: what is canonical elsewhere need not be short.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from looptx.looptree.nodes import Block, Call, For, If, Let, LoopTree
from looptx.model.expr import (
    ONE,
    Add,
    Cond,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    add,
    floordiv,
    linear,
    mod,
    mul,
    neg,
    size,
    sub,
    total,
    with_exprs,
    with_parts,
)
from looptx.model.records import replace


def readable(block: Block) -> Block:
    """The block as it is printed."""
    result: list[LoopTree] = []
    for node in block:
        match node:
            case For(start=start, stop=stop, step=step, body=body):
                stop = _stop(start, stop, step)
                node = replace(node, start=_expr(start), stop=_expr(stop))
                result.append(replace(node, body=readable(body)))
            case If(cond, body):
                result.append(If(readable_cond(cond), readable(body)))
            case Let(var, value):
                result.append(Let(var, _expr(value)))
            case Call(statement, index):
                values = {loop: _expr(value) for loop, value in index.items()}
                result.append(Call(statement, values))
    return tuple(result)


def readable_cond(cond: Cond) -> Cond:
    """A condition as it is printed."""
    return with_exprs(cond, _expr)


def _expr(expr: IntExpr) -> IntExpr:
    return with_parts(_shortest(expr) if isinstance(expr, Add) else expr, _expr)


def _shortest(expr: IntExpr) -> IntExpr:
    """The shortest way to write a sum, or the way it is written."""
    best = min(_ways(expr), key=_cost, default=expr)
    return _shortest(best) if _cost(best) < _cost(expr) else expr


def _cost(expr: IntExpr) -> int:
    """How much there is to read; what is divided is better not negative."""
    cost = size(expr)
    for term in linear(expr)[0]:
        match term:
            case FloorDiv(value, _) | Mod(value, _):
                terms = linear(value)[0].values()
                cost += all(factor < 0 for factor in terms)
    return cost


def _ways(expr: IntExpr) -> Iterator[IntExpr]:
    """Other ways to write a sum."""
    terms, constant = linear(expr)
    for term, factor in terms.items():
        rest = {other: f for other, f in terms.items() if other != term}
        match term:
            case Mod(value, Const(divisor)):
                # x % d is x - d * (x // d), and d - 1 - x % d is (-x - 1) % d.
                quotient = floordiv(value, divisor)
                blocks = Mul((Const(-factor * divisor), quotient))
                yield _sum(rest, constant, mul(Const(factor), value), blocks)
                if factor < 0:
                    turned = mod(sub(neg(value), ONE), divisor)
                    last = Const(factor * (divisor - 1))
                    yield _sum(rest, constant, mul(Const(-factor), turned), last)
            case FloorDiv(value, Const(divisor)):
                # -(x // d) is (d - 1 - x) // d.
                turned = FloorDiv(sub(Const(divisor - 1), value), Const(divisor))
                yield _sum(rest, constant, Mul((Const(-factor), turned)))
                if constant % factor == 0:
                    moved = add(value, Const(constant // factor * divisor))
                    blocks = Mul((Const(factor), FloorDiv(moved, Const(divisor))))
                    yield _sum(rest, 0, blocks)


def _sum(rest: Mapping[IntExpr, int], constant: int, *more: IntExpr) -> IntExpr:
    """A sum whose divisions stay as they are."""
    terms = dict(rest)
    for each in more:
        found, left = linear(each)
        constant += left
        for term, factor in found.items():
            terms[term] = terms.get(term, 0) + factor
    return total({term: factor for term, factor in terms.items() if factor}, constant)


def _stop(start: IntExpr, stop: IntExpr, step: int) -> IntExpr:
    """A shorter end of a loop in steps, whose last step need not be whole.

    In place of a remainder stands a number with which the loop ends as it did.
    """
    match stop:
        case Min(args) | Max(args):
            return type(stop)(tuple(_stop(start, arg, step) for arg in args))
    beyond = mod(sub(stop, start) if step > 0 else sub(start, stop), abs(step))
    if abs(step) == 1 or not isinstance(beyond, Const):
        return stop
    # Those from least to most more than the end are as good.
    most = -(beyond.value or abs(step)) + abs(step)
    least = most - abs(step) + 1
    for term, factor in linear(stop)[0].items():
        rest = add(stop, mul(Const(-factor), term))
        match term:
            case FloorDiv(value, Const(divisor)) if factor % divisor == 0:
                rest = add(rest, mul(Const(factor // divisor), value))
                factor = -factor // divisor
            case Mod(_, Const(divisor)):
                pass
            case _:
                continue
        ends = sorted((0, (factor if step > 0 else -factor) * (divisor - 1)))
        if ends[1] + least <= ends[0] + most:
            near = Const(ends[0] + most)
            found = add(rest, near if step > 0 else neg(near))
            if size(found) < size(stop):
                return found
    return stop
