"""``reverse_compute_at``: a nest uses what another makes as soon as it is complete."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from looptx.directives.base import Verb, check_clause, fits, join, loop_name, make
from looptx.directives.moving.into import moved_into
from looptx.directives.moving.places import other_loops
from looptx.language.grammar import Clause
from looptx.language.words import is_identifier
from looptx.model.moves import When
from looptx.model.schedule import Schedule


@dataclass(frozen=True)
class ReverseComputeAt(Verb):
    """Run each iteration of a nest once all that it reads of another is complete.

    syntax: ``reverse_compute_at NEST LOOP``
    rewrite: ``for i: T[i] = ..``, ``for j: .. T[j]`` -> ``for i: T[i] = ..; .. T[i]``
    """

    nest: str
    loop: str

    verb = "reverse_compute_at"
    usage = "reverse_compute_at NEST LOOP"

    @classmethod
    def from_clause(cls, clause: Clause) -> ReverseComputeAt:
        """Read a nest and a loop."""
        check_clause(clause, cls)
        fits(len(clause.operands) == 2, cls, "takes a nest and a loop")
        nest, loop = clause.operands
        known = isinstance(nest, str) and is_identifier(nest)
        fits(known, cls, f"needs the name of a nest where `{nest}` stands")
        place, source = clause.place, clause.source
        return cls(str(nest), loop_name(loop, cls), place=place, source=source)

    @property
    def text(self) -> str:
        """``reverse_compute_at relu mm.j``."""
        return join(self.verb, self.nest, self.loop)

    @property
    def loops(self) -> tuple[str, ...]:
        """The loop."""
        return (self.loop,)

    @property
    def joins(self) -> tuple[str, ...]:
        """The nest, and that of the loop."""
        prefix = self.loop.rpartition(".")[0]
        return (self.nest, prefix) if prefix else (self.nest,)

    def weaker(self, before: Schedule) -> Iterator[tuple[Verb, str]]:
        """The same in another loop."""
        for loop in other_loops(before, self.loop):
            yield replace(self, loop=loop), "it runs in another loop"

    def change(self, schedule: Schedule) -> Schedule:
        """Put the nest last in the loop."""
        return moved_into(schedule, self.nest, self.loop, When.COMPLETE, first=False)


def reverse_compute_at(nest: str, loop: str) -> ReverseComputeAt:
    """Run each iteration of ``nest`` in the first of ``loop`` by which it can run."""
    return make(ReverseComputeAt, nest, loop)
