"""``compute_at``: a nest produces what an iteration of another nest needs, in it."""

from __future__ import annotations

from collections.abc import Iterator

from looptx.directives.base import Verb, join, make
from looptx.directives.moving.into import moved_into
from looptx.directives.moving.verb import MovingVerb
from looptx.language.grammar import Clause
from looptx.model.moves import When
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule

_SLIDING = "sliding"


@dataclass(frozen=True)
class ComputeAt(MovingVerb):
    """Run those iterations of a nest that an iteration of another needs, right in it.

    syntax: ``compute_at NEST LOOP [sliding]``
    rewrite: ``for i: T[i] = ..``, ``for j: .. T[j]`` -> ``for j: T[j] = ..; .. T[j]``
    """

    sliding: bool = False

    verb = "compute_at"
    usage = "compute_at NEST LOOP [sliding]"

    @classmethod
    def from_clause(cls, clause: Clause) -> ComputeAt:
        """Read a nest, a loop, and perhaps ``sliding``."""
        *rest, last = clause.operands or ("",)
        if last != _SLIDING or len(rest) < 2:
            return super().from_clause(clause)
        plain = super().from_clause(replace(clause, operands=tuple(rest)))
        return replace(plain, sliding=True)

    @property
    def text(self) -> str:
        """``compute_at blur C.j sliding``."""
        return join(self.verb, self.nest, self.loop, *[_SLIDING] * self.sliding)

    def weaker(self, before: Schedule) -> Iterator[tuple[Verb, str]]:
        """Once what several iterations need; or in another loop."""
        if not self.sliding:
            yield replace(self, sliding=True), "nothing runs twice"
        yield from super().weaker(before)

    def change(self, schedule: Schedule) -> Schedule:
        """Put the nest first in the loop."""
        when = When.FIRST if self.sliding else When.NEEDED
        return moved_into(schedule, self.nest, self.loop, when, first=True)


def compute_at(nest: str, loop: str, *, sliding: bool = False) -> ComputeAt:
    """Run in each iteration of ``loop`` the iterations of ``nest`` that it needs."""
    return make(ComputeAt, nest, loop, *[_SLIDING] * bool(sliding))
