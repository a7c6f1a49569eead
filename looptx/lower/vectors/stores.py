"""Vectors that an iteration changes: all are loaded before the first one is stored.

What is loaded behind a store waits until the processor knows, or guesses, that they are
apart, and the C compiler leaves both where they stand. (Memory dependence prediction:
Chrysos and Emer, ISCA 1998.)
"""

from __future__ import annotations

from looptx.lower.kinds import of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    Intrinsic,
    dangers,
    expressions,
    inside,
    used,
    variable,
)
from looptx.lower.types import c_vector
from looptx.lower.vectors.tiles import Cells
from looptx.model.records import replace
from looptx.model.types import ScalarType


def stores_last(scope: Scope, loop: For, declared: dict[str, str]) -> For:
    """A loop that stores several vectors at the end of its body.

    Args:
        scope: the nest.
        loop: it; its body are assignments.
        declared: the variables of the function it is in: their types, by name.
    """
    lines = [line for line in loop.body if isinstance(line, Assign)]
    stores = [line for line in lines if line.target.op != "name"]
    if not 1 < len(stores) <= scope.registers // 4 or dangers(expressions(lines)):
        return loop
    first = [line for line in lines if _holds(line)]
    between = [line for line in lines if line not in first and line not in stores]
    changed = {line.target.name for line in between}
    if changed & used([*first, *stores]) or not _alone(scope, loop.var, lines):
        return loop
    last = []
    for line in stores:
        own = kept(scope, line.target, declared)
        value = line.value
        if line.op:
            value = Expr(line.op, own.kind, (line.target, value), lanes=own.lanes)
        between.append(Assign(own, vector_call("held", value)))
        last.append(Assign(line.target, own))
    return replace(loop, body=(*first, *between, *last))


def kept(scope: Scope, load: Expr, declared: dict[str, str]) -> Expr:
    """A variable for a vector.

    Args:
        scope: the nest. load: the vector.
        declared: the variables of the function it is in: their types, by name.
    """
    name = scope.names.fresh(f"{load.name}_lanes")
    declared[name] = c_vector(load.kind.dtype, load.lanes)
    kind = of(ScalarType(load.kind.dtype))
    return replace(variable(name, kind), lanes=load.lanes)


def vector_call(operation: str, *args: Expr) -> Expr:
    """A function of vectors that gives one of the same kind."""
    (first, *_) = args
    function = Intrinsic(operation, first.kind.dtype, lanes=first.lanes)
    return Expr("call", first.kind, args, intrinsic=function, lanes=first.lanes)


def _holds(line: Assign) -> bool:
    """Whether a statement loads a vector that others use, and does no more."""
    function = line.value.intrinsic
    return function is not None and function.operation == "held" and not line.op


def _alone(scope: Scope, var: str, lines: list[Assign]) -> bool:
    """Whether each vector that is stored is apart from all that others touch.

    Args:
        scope: the nest.
        var: the variable of the loop. lines: its statements.
    """
    cells = Cells(scope, var, lines)
    for line in lines:
        target = line.target
        if target.op == "name":
            continue
        if target.op != "cell" or target.lanes < 2:
            return False
        for other in lines:
            if other is not line:
                for part in (*inside(other.target), *inside(other.value)):
                    cell = part.op in ("cell", "local cell")
                    if cell and not cells.apart(target, part):
                        return False
    return True
