"""Rows that loops go through have names, and so have parts whose bounds data decide.

``for v in A[i]`` is ``row = A[i]`` and a loop over that; ``for c, v in zip(y[a:b], x)``
is ``part = y[a:b]`` and a loop over it and ``x``. What is known of rows and parts with
names (see ``rows``, ``bounded``) is known of them.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Container, Sequence

from looptx.model.naming import PART, Taken
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.imports import bound_names, own_nodes
from looptx.source.names.must_execute import jumps
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, always, spelling
from looptx.source.spelling.inserted import together
from looptx.source.spelling.whole.uses import Uses

_TOGETHER = ("builtins.zip", "builtins.enumerate")


def _parts(node: ast.AST) -> list[ast.Subscript]:
    """The rows and parts of arrays that a loop goes through."""
    if not isinstance(node, ast.For):
        return []
    alone = isinstance(node.iter, ast.Subscript)
    # What ranges are given are numbers, no parts.
    bounds = {x for call in _ranges(node.iter) for x in walked(call)}
    return [
        part
        for part in walked(node.iter)
        if isinstance(part, ast.Subscript)
        and part not in bounds
        and isinstance(part.value, ast.Name)
        and not (alone and isinstance(part.slice, ast.Slice))
        and (node.iter is part or isinstance(node.iter, ast.Call))
    ]


def _ranges(source: ast.expr) -> list[ast.Call]:
    """The ranges among what a loop goes through side by side."""
    calls = (x for x in walked(source) if isinstance(x, ast.Call))
    return [x for x in calls if dotted(x.func) == "range"]


@spelling(_parts)
def with_names(function: Function, scope: Scope) -> Changes:
    """Such parts have names."""
    if scope.wild:
        return
    taken = Taken(scope.identifiers)
    loops = [x for x in own_nodes(function) if isinstance(x, ast.For)]
    counters = {x.target.id for x in loops if isinstance(x.target, ast.Name)}
    outer = [*Uses(function, scope).outermost()]
    inside = {x for one in outer for x in own_nodes(one)}.difference(outer)
    told = {*bound_names([*inside])} - counters

    for loop in (x for x in loops if _is_plain(x, scope)):
        lines: list[ast.stmt] = []
        for part in _parts(loop):
            if _is_row(part) or (loop in inside and _is_of_data(part, told)):
                name = ast.Name(taken.again(PART), ast.Store())
                lines.append(ast.copy_location(ast.Assign([name], part), part))
                read = ast.Name(name.id, ast.Load())
                yield part, always(ast.copy_location(read, part))
        if lines:
            yield loop, functools.partial(_behind, lines, taken.again("once"))


def _behind(lines: Sequence[ast.stmt], once: str, loop: ast.AST) -> ast.AST:
    """A loop behind what gives the parts names, as one statement.

    Args:
        lines: what does so. once: the variable of that statement. loop: the loop.
    """
    assert isinstance(loop, ast.For)
    return together(lines, loop, once)


def _is_plain(loop: ast.For, scope: Scope) -> bool:
    """Whether nothing is called but what goes through several things side by side.

    Ranges are such things, too: nothing tells when they are made. What an ``else``
    ends, or goes on with, is the loop around: it has to stay there.

    Args:
        loop: what goes through them. scope: of its function.
    """
    bounds = {x for one in _ranges(loop.iter) for x in walked(one)}
    ranges = all(map(scope.is_range, _ranges(loop.iter)))
    ranges = ranges and not any(map(scope.runs_other_code, bounds))
    calls = (x for x in walked(loop.iter) if isinstance(x, ast.Call))
    calls = (x for x in calls if x not in bounds)
    other = any(isinstance(x, ast.NamedExpr | ast.Await) for x in walked(loop.iter))
    together = all(scope.resolve(x.func) in _TOGETHER for x in calls)
    return together and ranges and not other and not any(jumps(loop.orelse))


def _is_row(part: ast.Subscript) -> bool:
    """Whether a part has fewer axes than its array."""
    places = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
    return not all(isinstance(one, ast.Slice) for one in places)


def _is_of_data(part: ast.Subscript, told: Container[str]) -> bool:
    """Whether bounds are elements of arrays, or have names that may be such.

    Args:
        part: that has the bounds. told: the names of the function that count no loop.
    """
    step = isinstance(part.slice, ast.Slice) and part.slice.step is None
    return step and any(
        isinstance(x, ast.Subscript) or (isinstance(x, ast.Name) and x.id in told)
        for x in walked(part.slice)
    )
