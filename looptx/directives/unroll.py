"""``unroll``: copies of a loop's body."""

from __future__ import annotations

from dataclasses import dataclass, replace

from looptx.directives.base import (
    Verb,
    bounded,
    check,
    check_clause,
    fits,
    join,
    loop_name,
    make,
)
from looptx.directives.marks import mark
from looptx.directives.names import find
from looptx.language.grammar import Clause
from looptx.model.extent import extent
from looptx.model.schedule import Schedule

MOST = 1024
"""The most copies of a body."""


@dataclass(frozen=True)
class Unroll(Verb):
    """Write out the iterations of a loop: all of them, or ``factor`` at a time.

    syntax: ``unroll LOOP [FACTOR]``
    rewrite: ``for k in range(4): S(k)`` -> ``S(0); S(1); S(2); S(3)``
    """

    loop: str
    factor: int = 0

    verb = "unroll"
    usage = "unroll LOOP [FACTOR]"

    @classmethod
    def from_clause(cls, clause: Clause) -> Unroll:
        """Read a loop and perhaps a factor."""
        check_clause(clause, cls)
        fits(len(clause.operands) in (1, 2), cls, "takes a loop and perhaps a factor")
        loop = loop_name(clause.operands[0], cls)
        factor = [bounded(f, "factor", most=MOST) for f in clause.operands[1:]]
        return cls(loop, *factor, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``unroll k 4``."""
        return join(self.verb, self.loop, *([self.factor] if self.factor else []))

    @property
    def loops(self) -> tuple[str, ...]:
        """The loop."""
        return (self.loop,)

    def change(self, schedule: Schedule) -> Schedule:
        """Mark the loop, a full unroll only if the count is a small constant."""
        dim = find(schedule, self.loop)
        if not self.factor:
            count = extent(schedule, dim.uid)
            message = f"the count of `{self.loop}` is not constant"
            if count is not None:
                message = f"`{self.loop}` has {count} iterations, too many to unroll"
            hint = f"give a factor: `unroll {self.loop} 4`"
            check(count is not None and count <= MOST, message, hint)
        return mark(schedule, dim, replace(dim.marks, unroll=self.factor))


def unroll(loop: str, factor: int | None = None) -> Unroll:
    """Copy the body of ``loop``: for every iteration, or ``factor`` times."""
    return make(Unroll, loop, *(() if factor is None else (factor,)))
