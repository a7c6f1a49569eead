"""``reverse_compute_at``: a nest uses what another makes as soon as it is complete."""

from __future__ import annotations

from looptx.directives.base import make
from looptx.directives.moving.into import moved_into
from looptx.directives.moving.verb import MovingVerb
from looptx.model.moves import When
from looptx.model.records import dataclass
from looptx.model.schedule import Schedule


@dataclass(frozen=True)
class ReverseComputeAt(MovingVerb):
    """Run each iteration of a nest once all that it reads of another is complete.

    syntax: ``reverse_compute_at NEST LOOP``
    rewrite: ``for i: T[i] = ..``, ``for j: .. T[j]`` -> ``for i: T[i] = ..; .. T[i]``
    """

    verb = "reverse_compute_at"
    usage = "reverse_compute_at NEST LOOP"

    def change(self, schedule: Schedule) -> Schedule:
        """Put the nest last in the loop."""
        return moved_into(schedule, self.nest, self.loop, When.COMPLETE, first=False)


def reverse_compute_at(nest: str, loop: str) -> ReverseComputeAt:
    """Run each iteration of ``nest`` in the first of ``loop`` by which it can run."""
    return make(ReverseComputeAt, nest, loop)
