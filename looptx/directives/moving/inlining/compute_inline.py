"""``compute_inline``: what a nest produces is computed wherever it is read."""

from __future__ import annotations

from collections.abc import Sequence

from looptx.directives.base import make
from looptx.directives.moving.inlining.nests import NestsVerb
from looptx.directives.moving.inlining.statements import inlined
from looptx.model.program import Nest
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule


@dataclass(frozen=True)
class ComputeInline(NestsVerb):
    """Put the expression that a nest assigns in the place of each read of its values.

    syntax: ``compute_inline NEST...``
    rewrite: ``for i: T[i] = A[i] + 1``, ``for j: B[j] = T[j]`` -> ``B[j] = A[j] + 1``
    """

    verb = "compute_inline"
    usage = "compute_inline NEST..."

    def reaches(self, nests: Sequence[Nest]) -> tuple[str, ...]:
        """The nests that use what these write; of what nobody uses, one beside it."""
        found: list[str] = []
        for at, nest in enumerate(nests):
            written = self.touched(nest, write=True)
            if written:
                others = [*nests[at + 1 :], *reversed(nests[:at])]
                users = [x for x in others if written & {*x.arrays, *x.live_in}]
                found += (x.name for x in users or others[:1])
        return tuple(found)

    def made(self, nest: Nest) -> tuple[str, ...]:
        """The arrays that nothing else writes: they go."""
        written = self.touched(nest, write=True)
        others = self.touched(nest, write=True, others=True)
        return tuple(sorted(written & nest.allocations.keys() - others))

    def change(self, schedule: Schedule) -> Schedule:
        """Remove the nests, one after the other."""
        gone = self.made(schedule.nest)
        for nest in self.nests:
            schedule = inlined(schedule, nest)
        return replace(schedule, temporaries=schedule.temporaries.union(gone))


def compute_inline(*nests: str) -> ComputeInline:
    """Compute what ``nests`` produce wherever it is read."""
    return make(ComputeInline, *nests)
