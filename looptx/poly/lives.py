"""Scalars with several lives, each under a name of its own.

A scalar that is assigned again, and read between, is as good as several: writes and
reads that no value connects need not share a cell (webs of definitions and uses:
Muchnick, *Advanced Compiler Design*, 16.3.3). What one schedule keeps in each iteration
of some loops may then be another for each part of the nest.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import count

from looptx.model.elements import Cell
from looptx.model.moves.changes import redirected
from looptx.model.program import Nest
from looptx.model.records import replace
from looptx.poly.dependences.flows import END, START
from looptx.poly.dependences.order import SourceTimes
from looptx.poly.dependences.privatization import Dataflow, dataflow, users
from looptx.poly.spaces import Spaces


def apart(spaces: Spaces, kept: Collection[str], taken: Collection[str]) -> Nest:
    """The nest in which each life of a scalar has a name; the first keeps the old one.

    What is there before the nest, or read behind it, keeps its name.

    Args:
        spaces: of the nest.
        kept: scalars that directives name. taken: names that are used.
    """
    nest, order = spaces.nest, SourceTimes(spaces)
    known = {*taken}
    scalars = list(nest.scalars)
    statements = dict(nest.statements)
    for name in nest.scalars:
        own = users(nest, name)
        seen = name in kept or name in nest.escapes.rescued
        if seen or any(one.opaque for one in own):
            continue
        end = name in nest.live_out
        _, *others = _lives(dataflow(spaces, order, name, own, end=end))
        for life in others:
            new = next(x for at in count(2) if (x := f"{name}_{at}") not in known)
            known.add(new)
            scalars.append(new)
            for one in life:
                cells: dict[Cell, Cell] = {(name, ()): (new, ())}
                statements[one] = redirected(statements[one], one, cells)
    return replace(nest, statements=statements, scalars=tuple(scalars))


def _lives(flow: Dataflow) -> list[list[str]]:
    """The statements that a value connects, those that the ends do first.

    Others follow in the order of the source.
    """
    outside, names = {START, END}, [one.name for one in flow.users]
    lives: list[set[str]] = [outside, *({name} for name in names)]
    for one in flow.flow:
        met = [life for life in lives if life & {*one.ends}]
        lives = [set().union(*met), *(life for life in lives if life not in met)]
    found = [
        (
            life.isdisjoint(outside),
            [at for at, name in enumerate(names) if name in life],
        )
        for life in lives
    ]
    return [[names[at] for at in own] for _, own in sorted(found) if own]
