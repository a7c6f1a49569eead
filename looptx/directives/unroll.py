"""``unroll``: copies of a loop's body."""

from __future__ import annotations

from looptx.directives.base import check, make
from looptx.directives.marks import MOST, Counted, mark
from looptx.directives.names import find
from looptx.model.intervals.extent import extent
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule


@dataclass(frozen=True)
class Unroll(Counted):
    """Write out the iterations of a loop: all of them, or ``factor`` at a time.

    syntax: ``unroll LOOP [FACTOR]``
    rewrite: ``for k in range(4): S(k)`` -> ``S(0); S(1); S(2); S(3)``
    """

    verb = "unroll"
    usage = "unroll LOOP [FACTOR]"
    counts = "factor"
    perhaps = "a factor"

    def change(self, schedule: Schedule) -> Schedule:
        """Mark the loop, a full unroll only if the count is a small constant."""
        dim = find(schedule, self.loop)
        if not self.count:
            count = extent(schedule, dim.uid)
            message = f"the count of `{self.loop}` is not constant"
            if count is not None:
                message = f"`{self.loop}` has {count} iterations, too many to unroll"
            hint = f"give a factor: `unroll {self.loop} 4`"
            check(count is not None and count <= MOST, message, hint)
        return mark(schedule, dim, replace(dim.marks, unroll=self.count))


def unroll(loop: str, factor: int | None = None) -> Unroll:
    """Copy the body of ``loop``: for every iteration, or ``factor`` times."""
    return make(Unroll, loop, *(() if factor is None else (factor,)))
