"""Statements that assign to several arrays, as one statement for each of them.

``A[i, :] = A[:, i] = x * c`` computes its value once, and assigns it from left to
right: an array that is computed is kept in one of its own on the way.
"""

from __future__ import annotations

import ast

from looptx.source.spelling.whole.maker import Maker
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.statement import Statement


def assignments(maker: Maker, stmt: ast.Assign, value: ast.expr) -> list[ast.stmt]:
    """The loops of the assignments, in their order.

    Args:
        maker: makes what they need. stmt: the statement.
        value: what it assigns, with arrays in place of what is reduced or multiplied.

    Raises:
        Unlike: an assignment may change what the next one assigns.
    """
    if not maker.numpy:
        # Loops that are written have one statement of the source as their `else`.
        raise Unlike
    kept = _kept(maker, stmt, value)
    made: list[ast.stmt] = []
    for one in stmt.targets:
        single = ast.copy_location(ast.Assign([one], kept), stmt)
        loops = Statement(maker.scope, maker.ranks, single, maker.taken).loops()
        made.append(loops)
    return made


def _kept(maker: Maker, stmt: ast.Assign, value: ast.expr) -> ast.expr:
    """What is assigned, as something that no assignment changes.

    Args:
        maker, stmt, value: as of ``assignments``.
    """
    counts = maker.extents.of(value)
    shown = maker.operands.read(value)
    if shown is not None:
        targets = [maker.operands.read(one) for one in stmt.targets]
        if any(one is None or one.array == shown.array for one in targets):
            raise Unlike
        return value
    if not counts:
        if any(isinstance(x, ast.Subscript | ast.Call) for x in ast.walk(value)):
            raise Unlike
        return value
    uppers = maker.extents.of(value, upper=True)
    name = maker.named("value", uppers, maker.extents.type_of(value))
    counters = maker.counters(counts)
    cell = f"{name}[{', '.join(counter for counter, _ in counters)}]"
    maker.fill(counters, cell, "{}", [(value, counters)])
    return maker.text(f"{name}[{', '.join(f':{count}' for count in counts)}]")
