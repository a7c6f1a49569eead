"""Values of nests in common loops: whether a number of steps leads to the other."""

from __future__ import annotations

from looptx.model.expr import (
    Const,
    IntExpr,
    Var,
    add,
    linear,
    mul,
    rewrite,
    sub,
    substitute,
    variables,
)
from looptx.model.schedule import Schedule


def over(schedule: Schedule, value: IntExpr, own: str, other: str) -> IntExpr:
    """A value over the loops of another statement, as far as these have equal values.

    Args:
        schedule: the schedule, in which some loops of both are one.
        value: over the loops of a statement. own: this one. other: the other one.
    """
    known: dict[IntExpr, IntExpr] = {}
    for name in variables(value) & {*schedule.nest.statements[own].loops}:
        index = schedule.index[own, name]
        common = all({own, other} <= schedule.position[x].keys() for x in index.weights)
        for loop in schedule.nest.statements[other].loops:
            if common and schedule.index.get((other, loop)) == index:
                known[Var(name)] = Var(loop)
    return rewrite(value, known)


def in_steps(
    schedule: Schedule, statement: str, first: IntExpr, second: IntExpr, step: int
) -> bool:
    """Whether one value is a number of steps from another in each iteration.

    Args:
        schedule: the schedule. statement: the one that iterates.
        first, second: the values, over its loops. step: of a loop.
    """
    known = schedule.nest.loops
    far = sub(first, second)
    for each in reversed(schedule.nest.statements[statement].loops):
        count = mul(Const(known[each].step), Var(each))
        far = substitute(far, {each: add(known[each].start, count)})
    coefficients, constant = linear(far)
    return all(x % step == 0 for x in (*coefficients.values(), constant))
