"""What the directives have in common that put a nest into a loop of another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from looptx.directives.base import Verb, check_clause, fits, join, loop_name
from looptx.directives.names import find
from looptx.language.grammar import Clause
from looptx.language.words import is_identifier
from looptx.model.dims import paths
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Dim, Schedule

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
        """The same in a loop in or around it, inner ones first."""
        uid = find(before, self.loop).uid
        inner: dict[Dim, None] = {}
        outer: dict[Dim, None] = {}
        for path in paths(before.tree).values():
            at = next((at for at, dim in enumerate(path) if dim.uid == uid), None)
            if at is not None:
                outer |= dict.fromkeys(path[:at])
                inner |= dict.fromkeys(path[at + 1 :])
        for dim in (*inner, *reversed(outer)):
            prefix = self.loop.rpartition(".")[0]
            loop = "" if dim.fusing else self.calls(before, dim, prefix)
            if loop:
                yield replace(self, loop=loop), "it runs in another loop"
