"""``vectorize``: the lanes of a vector register."""

from __future__ import annotations

from looptx.directives.base import make
from looptx.directives.marks import Counted, mark
from looptx.directives.names import find
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule


@dataclass(frozen=True)
class Vectorize(Counted):
    """Run iterations of a loop side by side; it must carry no dependence.

    syntax: ``vectorize LOOP [LANES]``
    rewrite: in Python nothing; in C a SIMD loop with its remainder.
    """

    verb = "vectorize"
    usage = "vectorize LOOP [LANES]"
    counts = "number of lanes"
    perhaps = "the lanes"

    def change(self, schedule: Schedule) -> Schedule:
        """Mark the loop."""
        dim = find(schedule, self.loop)
        return mark(schedule, dim, replace(dim.marks, vectorize=self.count))


def vectorize(loop: str, lanes: int | None = None) -> Vectorize:
    """Run ``lanes`` iterations of ``loop`` side by side."""
    return make(Vectorize, loop, *(() if lanes is None else (lanes,)))
