"""Whether parallel loops beside each other meet in memory, so that threads must wait.

A thread of a team has the same piece of all loops that run over the same values. What
two of them do at the same value is done by one thread, in order. So nobody waits where
all that they both touch lies in places which this value tells apart. (Barriers that
dependences need: Tseng, PPoPP 1995.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from looptx.looptree.nodes import Call
from looptx.looptree.nodes import For as Loop
from looptx.looptree.walk import bound, nodes
from looptx.lower.scope import Scope
from looptx.model.elements import Access
from looptx.model.expr import IntExpr, Var, linear, substitute, variables

_ITERATION = Var("the iteration")
"""Stands for the variables of both loops."""

_Touched = tuple[Access, Mapping[str, IntExpr]]
"""An access, and what its loops are where it stands."""


def meet(scope: Scope, first: Loop, second: Loop) -> bool:
    """Whether threads that go from one parallel loop to another have to wait.

    Args:
        scope: the nest. first: the loop that they come from.
        second: that which they go to.
    """
    nest = scope.planned.nest
    pieces = [(one.start, one.stop, one.step) for one in (first, second)]
    touched = [[*_touched(scope, one)] for one in (first, second)]
    names = [{access.array for access, _ in one} for one in touched]
    for array in {x.array for one in touched for x, _ in one if x.write}:
        same = {array, *nest.others(array)}
        if not all(same & known for known in names):
            continue
        known = len(same) == 1 and array not in scope.buffers
        if pieces[0] != pieces[1] or not known:
            return True
        places = [
            _places(loop, own, at)
            for loop, one in zip((first, second), touched, strict=True)
            for own, at in one
            if own.array == array
        ]
        if not any(map(_is_own, zip(*places, strict=False))):
            return True
    return False


def _touched(scope: Scope, loop: Loop) -> Iterator[_Touched]:
    """What a loop touches that other threads see."""
    nest, own = scope.planned.nest, {loop.var: _ITERATION}
    for node in nodes(loop.body):
        if not isinstance(node, Call):
            continue
        at = {name: substitute(value, own) for name, value in node.index.items()}
        for access in nest.statements[node.statement].accesses:
            held = scope.buffers.get(access.array)
            private = held is not None and (held.local or held.split)
            variable = held is None and access.array in nest.scalars
            if not private and not variable:
                yield access, at


def _places(
    loop: Loop, access: Access, at: Mapping[str, IntExpr]
) -> list[IntExpr | None]:
    """Where an access is, axis by axis; None where an iteration moves it.

    Args:
        loop: the parallel one. access: in it. at: what its loops are there.
    """
    inside = bound(loop.body)
    found = (None if x is None else substitute(x, at) for x in access.subscripts)
    return [None if x is None or inside & variables(x) else x for x in found]


def _is_own(axis: tuple[IntExpr | None, ...]) -> bool:
    """Whether all accesses have one place, which is another one in each iteration."""
    place = axis[0]
    if place is None or any(other != place for other in axis):
        return False
    terms = linear(place)[0]
    others = (term for term in terms if term != _ITERATION)
    return _ITERATION in terms and not any(
        _ITERATION.name in variables(x) for x in others
    )
