"""What functions of the user return: how many axes arrays have that calls give."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.model.callees.callee import Written
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Scope
from looptx.source.spelling.called.arrays import given_to
from looptx.source.spelling.called.parts import axes
from looptx.source.spelling.whole.reading.axes import Ranks, Unlike
from looptx.source.spelling.whole.reading.extents import Extents
from looptx.source.spelling.whole.reading.ranks import known_ranks


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
