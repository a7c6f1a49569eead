"""What functions of the user return: how many axes arrays have that calls give."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping, Sequence

from looptx.model.callees.callee import Written
from looptx.model.trees import dotted
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Scope
from looptx.source.spelling.called.arrays import given_to
from looptx.source.spelling.called.parts import axes
from looptx.source.spelling.edits import Change, returning
from looptx.source.spelling.whole.reading.axes import Ranks, Unlike
from looptx.source.spelling.whole.reading.extents import Extents
from looptx.source.spelling.whole.reading.ranks import known_ranks


def giving_arrays(
    own: Sequence[ast.AST], scope: Scope, ranks: dict[str, int]
) -> Iterator[tuple[ast.AST, Change]]:
    """The calls that give arrays, for those that stay.

    Args:
        own: the parts of the function. scope: its names.
        ranks: how many axes its arrays have; gets those of the results.
    """
    for stmt in own:
        match stmt:
            case ast.Assign([ast.Name(name)], ast.Call() as call):
                callee = scope.callees.get(dotted(call.func))
                if callee is None or callee.written is None:
                    continue
                count = returned(callee.written, call, ranks)
                if count:
                    ranks[name] = max(ranks.get(name, 0), count)
                    yield call, functools.partial(returning, axes=count)


def returned(written: Written, call: ast.Call, ranks: Mapping[str, int]) -> int:
    """How many axes the array has that a call gives; 0 where that is not known.

    Args:
        written: the function. call: a call of it.
        ranks: how many axes the arrays of the caller have.
    """
    given = {x: axes(value, ranks) for x, value in given_to(written, call)}
    scope = Scope(written.node, written.imports)
    known = Ranks({name: count for name, count in given.items() if count})
    extents = Extents(scope, known_ranks(written.node, scope, known), "")
    found: set[int] = set()
    for node in own_nodes(written.node):
        if isinstance(node, ast.Return):
            try:
                found.add(len(extents.of(node.value)) if node.value else 0)
            except Unlike:
                return 0
    return found.pop() if len(found) == 1 else 0
