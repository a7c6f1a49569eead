"""What the directives have in common that put a nest into a loop of another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from looptx.directives.base import Verb, check_clause, fits, join, loop_name
from looptx.directives.moving.places import other_loops
from looptx.language.grammar import Clause
from looptx.language.words import is_identifier
from looptx.model.schedule import Schedule

M = TypeVar("M", bound="MovingVerb")


@dataclass(frozen=True)
class MovingVerb(Verb):
    """A directive that puts a nest into a loop."""

    nest: str
    loop: str

    @classmethod
    def from_clause(cls: type[M], clause: Clause) -> M:
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
