"""What the values of functions are assigned to, where their statements stand."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from looptx.model.trees import dotted
from looptx.source.callees.refusals import Refused


def names_of(targets: Sequence[ast.expr], shared: Collection[str]) -> Sequence[str]:
    """The names that a value gets, or its parts; none where others see them.

    Args:
        targets: what it is assigned to. shared: the names that others see.
    """
    match targets:
        case [ast.Tuple(elts)]:
            parts: Sequence[ast.expr] = elts
        case _:
            parts = targets[:1]
    names = [dotted(one) for one in parts if isinstance(one, ast.Name)]
    whole = len(targets) == 1 and len(names) == len(parts)
    return names if whole and not {*names} & {*shared} else ()


def is_of_elements(target: ast.expr) -> bool:
    """Whether what is assigned there is copied."""
    if isinstance(target, ast.Tuple):
        return all(map(is_of_elements, target.elts))
    return isinstance(target, ast.Subscript)


def gives_names(stmt: ast.Assign) -> bool:
    """Whether a statement gives something a name."""
    targets = [x for one in stmt.targets for x in ast.walk(one)]
    return any(isinstance(x, ast.Name) and _is_stored(x) for x in targets)


def assigned(
    targets: Sequence[ast.expr],
    value: ast.expr,
    made: Collection[str],
    bound: Collection[str],
) -> list[ast.stmt]:
    """What assigns the value of a function; arrays may have their names already.

    Args:
        targets: what it goes to. value: it, in names of the caller.
        made: the arrays that have. bound: the names that the caller binds itself.
    """
    pairs = [([*targets], value)]
    match targets, value:
        case [ast.Tuple(elts)], ast.Tuple(values) if len(elts) == len(values):
            own = [dotted(x) for x in values if dotted(x) not in made]
            # Nothing that is assigned first is read by what is next.
            if all(own) and not {*own} & {*bound}:
                pairs = [([x], y) for x, y in zip(elts, values, strict=True)]
    return [
        ast.Assign(given, part)
        for given, part in pairs
        if dotted(part) not in made or dotted(given[0]) != dotted(part)
    ]


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def some(value: ast.expr | None, call: ast.Call) -> ast.expr:
    """The value of a call.

    Raises:
        Refused: it has none.
    """
    if value is None:
        raise Refused(call, "returns None")
    return value
