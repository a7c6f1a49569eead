"""Statements that run in the iterations of a loop of another nest.

A statement that moves gets a new name and, before its own loops, a *coordinate* for
each loop it moves into: the position of that loop. So one instance of the source may
run several times, at different coordinates, and has one time at each. Which instances
run at which coordinates follows from the dataflow; the proof computes it (see
``poly.moved``). All later directives change the positions of coordinates as they change
those of other loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from looptx.model.expr import IntExpr


class When(Enum):
    """In which iterations of the loop an instance of a moved statement runs."""

    NEEDED = "in each that needs what it writes"
    FIRST = "in the first that needs what it writes"
    COMPLETE = "in the first by which all that it reads is written"


@dataclass(frozen=True, slots=True)
class Move:
    """Statements that moved into a loop together.

    Attributes:
        when: in which of its iterations they run.
        moved: ``{statement: its name there}``.
        coordinates: their loops that stand for the positions of the loops they moved
            into, outermost first.
        inside: ``{statement: positions}`` of the other statements in the loop, over
            their own loops, in the order of the coordinates.
        common: ``{statement: positions}`` of all of these in the loops that were around
            them before.
        kept: whether the iterations that do not move stay where they were; otherwise
            nobody sees what they do, and they are dropped.
    """

    when: When
    moved: Mapping[str, str]
    coordinates: tuple[str, ...]
    inside: Mapping[str, tuple[IntExpr, ...]]
    common: Mapping[str, tuple[IntExpr, ...]]
    kept: bool
