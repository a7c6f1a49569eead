"""Directives that are about whole nests."""

from __future__ import annotations

from typing import TypeVar

from looptx.directives.base import Verb, check_clause, fits, join
from looptx.language.grammar import Clause
from looptx.language.words import is_identifier
from looptx.model.program import Nest, Statement
from looptx.model.records import dataclass
from looptx.model.schedule import groups

V = TypeVar("V", bound="NestsVerb")


@dataclass(frozen=True)
class NestsVerb(Verb):
    """A directive about nests."""

    nests: tuple[str, ...]

    @classmethod
    def from_clause(cls: type[V], clause: Clause) -> V:
        """Read the names of nests."""
        check_clause(clause, cls)
        fits(bool(clause.operands), cls, "needs the name of a nest")
        for one in clause.operands:
            known = isinstance(one, str) and is_identifier(one)
            fits(known, cls, f"needs the name of a nest where `{one}` stands")
        nests = tuple(map(str, clause.operands))
        fits(len({*nests}) == len(nests), cls, "names each nest once")
        return cls(nests, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``compute_inline scale shift``."""
        return join(self.verb, *self.nests)

    @property
    def joins(self) -> tuple[str, ...]:
        """The nests."""
        return self.nests

    def own(self, nest: Nest) -> list[Statement]:
        """The statements of those of the nests that are in one of the function's."""
        known = groups(nest)
        names = {
            name for one in self.nests if one in known for name in known[one].statements
        }
        return [one for name, one in nest.statements.items() if name in names]

    def touched(self, nest: Nest, *, write: bool, others: bool = False) -> set[str]:
        """The arrays and scalars that these nests write, or read.

        Args:
            nest: of the function.
            write: whether what is written is asked for.
            others: whether that of all its other statements is.
        """
        own = self.own(nest)
        names = {one.name for one in own}
        rest = [one for name, one in nest.statements.items() if name not in names]
        return {
            access.array
            for one in (rest if others else own)
            for access in one.accesses
            if access.write == write
        }
