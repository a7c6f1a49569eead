"""Tables of numbers that the source writes out: ``cx[k]`` behind ``cx = (0, 1, -1)``.

Where a loop counts ``k`` from and to numbers that the source says, inside of the table,
that is one of its numbers, chosen by ``k``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from looptx.source.names.captures import COMPREHENSIONS
from looptx.source.names.imports import SCOPES
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.cells import bound_in, sourced
from looptx.source.spelling.edits import Change, Changes, always, spelling
from looptx.source.spelling.stretches import chosen, is_constant, written
from looptx.source.spelling.whole.reading.axes import literal


def _table(stmt: ast.AST) -> str:
    """The name that a statement gives to a table; empty for others."""
    match stmt:
        case ast.Assign([ast.Name(name)], ast.Tuple([_, *_] as elements)):
            return name if all(map(is_constant, elements)) else ""
    return ""


@spelling(_table)
def with_tables(function: Function, scope: Scope) -> Changes:
    """Numbers of such tables stand themselves."""
    for at, stmt in enumerate(function.body):
        name = _table(stmt)
        numbers = written(ast.Name(name, ast.Load()), scope) if name else []
        if numbers and not any(isinstance(one, ast.Tuple) for one in numbers):
            for rest in function.body[at + 1 :]:
                yield from _read(rest, name, numbers, {}, scope)


def _read(
    node: ast.AST,
    name: str,
    numbers: Sequence[ast.expr],
    loops: Mapping[str, range],
    scope: Scope,
) -> Iterator[tuple[ast.AST, Change]]:
    """What reads of a table become.

    Args:
        node: what they stand in. name: the table. numbers: its own.
        loops: what variables of loops around are. scope: of the function.
    """
    match node:
        case ast.Subscript(ast.Name(own), index, ast.Load()) if own == name:
            made = _number(index, numbers, loops)
            if made:
                yield node, always(sourced(made, node))
            return
        case ast.For(ast.Name(var), over, body) if not node.orelse:
            counts = _range(over, name, numbers, scope)
            changed = {x for stmt in body for x in bound_in(stmt)}
            inside = {x: y for x, y in loops.items() if x not in changed | {var}}
            if counts is not None and var not in changed | scope.shared:
                inside[var] = counts
            for stmt in body:
                yield from _read(stmt, name, numbers, inside, scope)
            return
    if not isinstance(node, SCOPES | COMPREHENSIONS):
        for part in ast.iter_child_nodes(node):
            yield from _read(part, name, numbers, loops, scope)


def _number(
    index: ast.expr, numbers: Sequence[ast.expr], loops: Mapping[str, range]
) -> str:
    """The text of the number at an index; empty where that may be outside.

    Args:
        index: the subscript. numbers, loops: as of ``_read``.
    """
    texts = [ast.unparse(one) for one in numbers]
    place = literal(index)
    if place is not None and -len(texts) <= place < len(texts):
        return f"({texts[place]})"
    if isinstance(index, ast.Name) and index.id in loops:
        counts = loops[index.id]
        if counts and min(counts) >= 0 and max(counts) < len(texts):
            return chosen(texts, 0, index.id)
    return ""


def _range(
    over: ast.expr, name: str, numbers: Sequence[ast.expr], scope: Scope
) -> range | None:
    """What a loop counts through, if the source says it.

    Args:
        over: of the loop. name, numbers, scope: as of ``_read``.
    """
    if not scope.is_range(over):
        return None
    assert isinstance(over, ast.Call)
    found = []
    for arg in over.args:
        match arg:
            case ast.Call(function, [ast.Name(own)], []) if own == name:
                size = scope.resolve(function) == "builtins.len"
                found.append(len(numbers) if size else None)
            case _:
                found.append(literal(arg))
    known = [one for one in found if one is not None]
    fits = 0 < len(known) == len(found) < 4 and not over.keywords
    return range(*known) if fits and (len(known) < 3 or known[2]) else None
