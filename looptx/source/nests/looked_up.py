"""Rows that are looked up: where their loops say that they are inside, that is all."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.model.expr import Const, Min, Var, sub
from looptx.model.program import Loop
from looptx.model.shapes import extent
from looptx.model.trees import dotted
from looptx.source.names.subscripts import subscripts


def is_inside(
    stmt: ast.stmt, loops: Mapping[str, Loop], canonical: Mapping[str, str]
) -> bool:
    """Whether a row is one of its array at all iterations: looking it up never raises.

    Args:
        stmt: what looks it up. loops: those around it, by their variables.
        canonical: parameter texts and what to write for them.
    """
    assert isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Subscript)
    array, indices = subscripts(stmt.value)
    for axis, index in enumerate(indices):
        text = extent(dotted(array), axis)
        size = Var(canonical.get(text, text))
        loop = loops.get(dotted(index))
        if loop is None or not _is_below(loop, size):
            return False
    return True


def _is_below(loop: Loop, size: Var) -> bool:
    """Whether a loop counts upwards from 0 or later, and ends before a size."""
    if loop.step < 0 or not isinstance(loop.start, Const) or loop.start.value < 0:
        return False
    stops = loop.stop.args if isinstance(loop.stop, Min) else (loop.stop,)
    beyond = [sub(stop, size) for stop in stops]
    return any(isinstance(one, Const) and one.value <= 0 for one in beyond)
