"""``compute_at``: a nest produces what an iteration of another nest needs, in it."""

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

_SLIDING = "sliding"


@dataclass(frozen=True)
class ComputeAt(Verb):
    """Run those iterations of a nest that an iteration of another needs, right in it.

    syntax: ``compute_at NEST LOOP [sliding]``
    rewrite: ``for i: T[i] = ..``, ``for j: .. T[j]`` -> ``for j: T[j] = ..; .. T[j]``
    """

    nest: str
    loop: str
    sliding: bool = False

    verb = "compute_at"
    usage = "compute_at NEST LOOP [sliding]"

    @classmethod
    def from_clause(cls, clause: Clause) -> ComputeAt:
        """Read a nest, a loop, and perhaps ``sliding``."""
        check_clause(clause, cls)
        count = len(clause.operands)
        word = clause.operands[2] if count > 2 else _SLIDING
        fits(count in (2, 3) and word == _SLIDING, cls, "takes a nest and a loop")
        nest, loop, *more = clause.operands
        known = isinstance(nest, str) and is_identifier(nest)
        fits(known, cls, f"needs the name of a nest where `{nest}` stands")
        place, source = clause.place, clause.source
        loop = loop_name(loop, cls)
        return cls(str(nest), loop, bool(more), place=place, source=source)

    @property
    def text(self) -> str:
        """``compute_at blur C.j sliding``."""
        return join(self.verb, self.nest, self.loop, *[_SLIDING] * self.sliding)

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
        """Once what several iterations need; or in another loop."""
        if not self.sliding:
            yield replace(self, sliding=True), "nothing runs twice"
        for loop in other_loops(before, self.loop):
            yield replace(self, loop=loop), "it runs in another loop"

    def change(self, schedule: Schedule) -> Schedule:
        """Put the nest first in the loop."""
        when = When.FIRST if self.sliding else When.NEEDED
        return moved_into(schedule, self.nest, self.loop, when, first=True)


def compute_at(nest: str, loop: str, *, sliding: bool = False) -> ComputeAt:
    """Run in each iteration of ``loop`` the iterations of ``nest`` that it needs."""
    return make(ComputeAt, nest, loop, *[_SLIDING] * bool(sliding))
