"""``vectorize``: the lanes of a vector register."""

from __future__ import annotations

from dataclasses import dataclass, replace

from looptx.directives.base import (
    Verb,
    bounded,
    check_clause,
    fits,
    join,
    loop_name,
    make,
)
from looptx.directives.marks import mark
from looptx.directives.names import find
from looptx.language.grammar import Clause
from looptx.model.schedule import Schedule

MOST = 1024
"""The most lanes."""


@dataclass(frozen=True)
class Vectorize(Verb):
    """Run iterations of a loop side by side; it must carry no dependence.

    syntax: ``vectorize LOOP [LANES]``
    rewrite: in Python nothing; in C a SIMD loop with its remainder.
    """

    loop: str
    lanes: int = 0

    verb = "vectorize"
    usage = "vectorize LOOP [LANES]"

    @classmethod
    def from_clause(cls, clause: Clause) -> Vectorize:
        """Read a loop and perhaps the number of lanes."""
        check_clause(clause, cls)
        fits(len(clause.operands) in (1, 2), cls, "takes a loop and perhaps the lanes")
        loop = loop_name(clause.operands[0], cls)
        lanes = [bounded(x, "number of lanes", most=MOST) for x in clause.operands[1:]]
        return cls(loop, *lanes, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``vectorize j 8``."""
        return join(self.verb, self.loop, *([self.lanes] if self.lanes else []))

    @property
    def loops(self) -> tuple[str, ...]:
        """The loop."""
        return (self.loop,)

    def change(self, schedule: Schedule) -> Schedule:
        """Mark the loop."""
        dim = find(schedule, self.loop)
        return mark(schedule, dim, replace(dim.marks, vectorize=self.lanes))


def vectorize(loop: str, lanes: int | None = None) -> Vectorize:
    """Run ``lanes`` iterations of ``loop`` side by side."""
    return make(Vectorize, loop, *(() if lanes is None else (lanes,)))
