"""``reverse_compute_inline``: a nest is computed where what it reads is written."""

from __future__ import annotations

from collections.abc import Sequence

from looptx.directives.base import make
from looptx.directives.moving.inlining.nests import NestsVerb
from looptx.directives.moving.inlining.reverse import reverse_inlined
from looptx.model.program import Nest
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule


@dataclass(frozen=True)
class ReverseComputeInline(NestsVerb):
    """Compute a nest that reads one cell in each iteration where that cell is written.

    syntax: ``reverse_compute_inline NEST...``
    rewrite: ``for i: T[i] = A[i] + 1``, ``for j: B[j] = T[j]`` -> ``B[i] = A[i] + 1``
    """

    verb = "reverse_compute_inline"
    usage = "reverse_compute_inline NEST..."

    def reaches(self, nests: Sequence[Nest]) -> tuple[str, ...]:
        """The nests that write what these read."""
        found: list[str] = []
        for at, nest in enumerate(nests):
            read = self.touched(nest, write=False)
            found += (x.name for x in nests[:at] if read & x.written)
        return tuple(found)

    def made(self, nest: Nest) -> tuple[str, ...]:
        """The arrays that only these read: they go."""
        read = self.touched(nest, write=False)
        others = self.touched(nest, write=False, others=True)
        written = self.touched(nest, write=True, others=True)
        return tuple(sorted(read & written & nest.allocations.keys() - others))

    def change(self, schedule: Schedule) -> Schedule:
        """Move the nests, one after the other."""
        gone = self.made(schedule.nest)
        for nest in self.nests:
            schedule = reverse_inlined(schedule, nest)
        return replace(schedule, temporaries=schedule.temporaries.union(gone))


def reverse_compute_inline(*nests: str) -> ReverseComputeInline:
    """Compute ``nests`` where what they read is written."""
    return make(ReverseComputeInline, *nests)
