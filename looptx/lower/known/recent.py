"""Loops without vectors that read what was written just before.

A load of two cells, one of which has only just been stored, waits until that store has
left the processor's queue. Where ``y[t]`` is a sum over ``y[t - k]``, each sum does: in
order it gains nothing by vectors, and has none. ``y[t + k] += x[t] * h[k]`` has them if
the loop takes longer than the stores of the last ``t`` do. (Store forwarding: Fog, The
microarchitecture of Intel, AMD and VIA CPUs.)
"""

from __future__ import annotations

from looptx.lower.kinds import BOOL, of
from looptx.lower.tree import (
    KEPT,
    Assign,
    Block,
    Expr,
    For,
    Function,
    If,
    Run,
    Stmt,
    While,
    assignments,
    infix,
    number,
    parts,
    used,
)
from looptx.lower.vectors.masks.masked import CELLS
from looptx.model.dtypes import FLOATS
from looptx.model.records import replace

_FEW = 12
"""Rounds whose stores are not through yet when the loop begins once more."""


def with_recent(one: Function) -> Function:
    """A function whose short loops read one by one what was written just before."""
    if any(part.lanes > 1 for part in parts(one.body)):
        return one
    body = _block(one.body, "", frozenset())
    return replace(one, body=body) if body != one.body else one


def _block(block: Block, around: str, written: frozenset[str]) -> Block:
    """Statements with such loops.

    Args:
        block: them.
        around: the variable of the loop that they are in.
        written: the arrays that it writes.
    """
    found: list[Stmt] = []
    for node in block:
        match node:
            case For(var, _, _, (Assign() as line,), None, ()) if around:
                found.append(_loop(node, line, (var, around), written))
            case For(var, body=body):
                cells = (x.target for x in assignments(body) if x.target.op in CELLS)
                inner = _block(body, var, frozenset(x.name for x in cells))
                found.append(replace(node, body=inner))
            case While(body=body):
                found.append(replace(node, body=_block(body, "", frozenset())))
            case If(cond, body, orelse):
                ways = (_block(way, around, written) for way in (body, orelse))
                found.append(If(cond, *ways))
            case _:
                found.append(node)
    return (*found,)


def _loop(
    loop: For, line: Assign, over: tuple[str, str], written: frozenset[str]
) -> Stmt:
    """A loop of one statement, or what takes its place.

    Args:
        loop: it. line: the statement.
        over: its variable, and that of the loop around it.
        written: the arrays that this one writes.
    """
    target, value = line.target, line.value
    if not line.op or target.kind.dtype not in FLOATS:
        return loop
    one_by_one = replace(loop, body=(KEPT, line))
    if target.op == "name":
        cells = (x for x in parts((Run(value),)) if x.op in CELLS)
        near = any(x.name in written and _moves(x, over) for x in cells)
        return one_by_one if near else loop
    if not _moves(target, over):
        return loop
    count = infix("-", loop.stop, loop.start)
    few = infix("<", count, number(_FEW), of(BOOL))
    return If(few, (one_by_one,), (loop,))


def _moves(cell: Expr, over: tuple[str, str]) -> bool:
    """Whether neighbours are read in a loop, and others in each of those around it."""
    return bool(cell.parts) and {*over} <= used([Run(cell.parts[-1])])
