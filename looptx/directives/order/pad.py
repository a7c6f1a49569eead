"""``pad``: empty positions before a loop's first."""

from __future__ import annotations

from collections.abc import Mapping

from looptx.directives.base import (
    LoopVerb,
    bounded,
    check_clause,
    fits,
    join,
    loop_name,
    make,
)
from looptx.directives.fusing import in_order
from looptx.directives.names import find
from looptx.language.grammar import Clause
from looptx.model.expr import Const, add
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule


@dataclass(frozen=True)
class Pad(LoopVerb):
    """Put empty positions before the first: split boundaries and alignment move.

    syntax: ``pad LOOP COUNT``
    rewrite: ``pad i 2 | split i 4`` on ``for i in range(n)``: the first block is
        ``range(0, 2)``, the next ``range(2, 6)``.
    """

    count: int

    verb = "pad"
    usage = "pad LOOP COUNT"

    @classmethod
    def from_clause(cls, clause: Clause) -> Pad:
        """Read a loop and a count of at least 0."""
        check_clause(clause, cls)
        fits(len(clause.operands) == 2, cls, "takes a loop and a count")
        loop = loop_name(clause.operands[0], cls)
        count = bounded(clause.operands[1], "number of positions", least=0)
        return cls(loop, count, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``pad i 2``."""
        return join(self.verb, self.loop, self.count)

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """The number of empty positions."""
        return {self.loop: (self.count,)}

    def change(self, schedule: Schedule) -> Schedule:
        """Add to the positions, subtract in the inverse map."""
        dim = find(schedule, self.loop)
        if dim.fusing:
            raise in_order(dim)
        uid = dim.uid
        position = dict(schedule.position)
        position[uid] = {
            name: add(value, Const(self.count)) for name, value in position[uid].items()
        }
        index = {
            key: replace(
                value,
                offset=add(
                    value.offset, Const(-self.count * value.weights.get(uid, 0))
                ),
            )
            for key, value in schedule.index.items()
        }
        return replace(schedule, position=position, index=index)


def pad(loop: str, count: int) -> Pad:
    """Put ``count`` empty positions before the first of ``loop``."""
    return make(Pad, loop, count)
