"""What loop variables hold after a nest, where they are read there."""

from __future__ import annotations

from functools import reduce

import islpy as isl

from looptx.errors import Unproven
from looptx.looptree.planned import Final
from looptx.model.expr import ZERO, Const, IntExpr, Or, Var, mul
from looptx.model.program import Nest, Node, Statement, StatementNode
from looptx.poly.astexpr import expression
from looptx.poly.bounds import condition
from looptx.poly.spaces import Spaces


def finals(spaces: Spaces) -> tuple[Final, ...]:
    """The last value of every loop variable that is read after the nest."""
    result = []
    for variable in _read_after(spaces.nest):
        given = _given(spaces, variable)
        if given.is_empty():
            # It stays a name of the function's own, without a value.
            result.append(Final(variable, ((Or(()), Const(0)),)))
            continue
        last = given.lexmax()
        value = last.project_out(
            isl.dim_type.set, 0, given.dim(isl.dim_type.set) - 1
        ).dim_max(0)
        case = condition(spaces, given.params()), expression(spaces, value)
        result.append(Final(variable, (case,)))
    return tuple(result)


def check_last(spaces: Spaces) -> None:
    """See that these values are given by loops of the nest.

    A loop inside an opaque statement, which runs where data say so, may have the same
    variable in the source.

    Raises:
        Unproven: LX203 where it may give the last value.
    """
    for variable in _read_after(spaces.nest):
        for statement in spaces.nest.statements.values():
            if variable not in statement.renamed:
                continue
            own = _others(spaces, statement, variable)
            last = _given(spaces, variable).union(own).lexmax()
            if not last.is_disjoint(own):
                line = min(
                    loop.place.line
                    for loop in spaces.nest.text.kept
                    if loop.var == variable and loop.place.line >= statement.place.line
                )
                raise Unproven(
                    "LX203",
                    f"unknown: what `{variable}` is after the nest",
                    detail=(f"whether the loop of line {line} runs depends on data",),
                    hint=f"use another name for `{variable}` in that loop",
                )


def _read_after(nest: Nest) -> list[str]:
    """The variables of a nest's loops that are read after it."""
    variables = dict.fromkeys(loop.var for loop in nest.loops.values())
    return [name for name in variables if name in nest.live_out]


def _given(spaces: Spaces, variable: str) -> isl.Set:
    """``{ [time, value] }`` of all values that the loops of a variable give to it.

    Several loops may share the variable; which of them runs last can depend on sizes.
    """
    nest, times = spaces.nest, _times(spaces.nest)
    found = []
    for name in (name for name, loop in nest.loops.items() if loop.var == variable):
        ids = [loop.id for loop in spaces.outer_loops(name)]
        values = spaces.map("L", ids, [*times[name], Var(name)])
        found.append(
            spaces.loop_set(name).intersect_params(spaces.context).apply(values)
        )
    return reduce(isl.Set.union, found)


def _others(spaces: Spaces, statement: Statement, variable: str) -> isl.Set:
    """``{ [time, 0] }`` when a statement's own loops may give a variable a value.

    Args:
        spaces: of the nest. statement: it. variable: as the source calls it.
    """
    domain = spaces.domain(statement)
    runs = [
        domain & spaces.cond(one.where, domain.get_space(), statement.loops)
        for one in statement.accesses
        if one.write and one.array == statement.renamed[variable]
    ]
    time = [*_times(spaces.nest)[statement.name], ZERO]
    values = spaces.map(statement.name, statement.loops, time)
    return reduce(isl.Set.union, runs).apply(values)


def _times(nest: Nest) -> dict[str, list[IntExpr]]:
    """When loops (by id) and statements (by name) run in the source."""
    found: dict[str, list[IntExpr]] = {}

    def visit(node: Node, before: list[IntExpr]) -> None:
        if isinstance(node, StatementNode):
            found[node.statement] = before
            return
        loop = node.loop
        up = loop.step > 0
        time = [*before, Var(loop.id) if up else mul(Const(-1), Var(loop.id))]
        found[loop.id] = time
        for at, child in enumerate(node.body):
            visit(child, [*time, Const(at)])

    for number, root in enumerate(nest.body):
        visit(root, [Const(number)])
    length = max(map(len, found.values()))
    return {name: time + [ZERO] * (length - len(time)) for name, time in found.items()}
