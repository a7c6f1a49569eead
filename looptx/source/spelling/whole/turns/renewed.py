"""Arrays that loops make of those that had their names: ``t = t * x``.

That is ``new = t * x`` with ``t = new`` behind it, of which the next round has ``t``:
two arrays take turns (see ``handed``).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from contextlib import suppress

from looptx.source.ast_tools import walked
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, always, spelling
from looptx.source.spelling.inserted import Insertions
from looptx.source.spelling.whole.filling import Filling
from looptx.source.spelling.whole.maker import Known
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.turns.webs import named_apart, originals
from looptx.source.spelling.whole.uses import Uses


def _renews(node: ast.AST) -> str:
    """The name that a statement gives to what it makes of what had it; or nothing."""
    match node:
        case ast.Assign([ast.Name(name)], ast.BinOp() | ast.UnaryOp() as value):
            parts = walked(value)
            read = any(isinstance(x, ast.Name) and x.id == name for x in parts)
            return name if read else ""
    return ""


@spelling(_renews)
def with_renewed(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """Arrays of loops are not made of those with the same name.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    if scope.wild:
        return
    uses, known = Uses(function, scope), Known.of(function, scope, axes)
    filling = Filling(scope, known)
    inserted = Insertions(uses.outside)
    names: dict[str, str] = {}
    for loop in uses.outermost():
        for stmt in walked(loop):
            name = _renews(stmt)
            if not name or name in scope.shared:
                continue
            assert isinstance(stmt, ast.Assign)
            inside = [x for x in walked(loop) if _renews(x) == name]
            with suppress(Unlike):
                if len(inside) > 1 or not filling.new(stmt.value).shape:
                    continue
                own = known.taken.again(f"{name}_next")
                names[own] = originals(function).get(name, name)
                target = ast.copy_location(ast.Name(own, ast.Store()), stmt.targets[0])
                made = ast.copy_location(ast.Assign([target], stmt.value), stmt)
                given = ast.copy_location(ast.Name(own, ast.Load()), stmt.value)
                last = ast.copy_location(ast.Assign(stmt.targets, given), stmt)
                inserted.before(stmt, made)
                yield stmt, always(last)
    yield from inserted.changes()
    if names:
        yield function, lambda node: named_apart(node, names)
