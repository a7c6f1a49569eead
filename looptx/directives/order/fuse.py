"""``fuse``: one nest from several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from looptx.directives.base import (
    Verb,
    bounded,
    check,
    check_clause,
    fits,
    given,
    join,
    make,
)
from looptx.directives.names import check_new, group, loop_names, used
from looptx.directives.order.fused.fusion import Part, fused, part, side_by_side
from looptx.directives.order.fused.places import stop
from looptx.language.conditions import parse_value
from looptx.language.grammar import Clause, Operand
from looptx.language.words import is_identifier
from looptx.model.dims import taken_along
from looptx.model.expr import IntExpr, variables
from looptx.model.records import dataclass, replace
from looptx.model.schedule import Schedule


@dataclass(frozen=True)
class Fuse(Verb):
    """Make one nest of several that stand side by side.

    syntax: ``fuse NEST NEST... [partial=COUNT] [at LOOP=VALUE...] [as LOOP... F]``
    rewrite: ``for i: A`` and ``for i: B`` -> ``for i:`` with A, then B
    """

    nests: tuple[str, ...]
    partial: int = 0
    names: tuple[str, ...] = ()
    at: tuple[tuple[str, str | int], ...] = ()

    verb = "fuse"
    usage = "fuse NEST NEST... [partial=COUNT] [at LOOP=VALUE...] [as LOOP... F]"

    @classmethod
    def from_clause(cls, clause: Clause) -> Fuse:
        """Read two or more nests, how many loops to fuse, places, and names."""
        operands, options = clause.operands, dict(clause.options)
        at: dict[str, Operand] = {}
        if "at" in operands:
            words = clause.rest.partition(" at ")[2].split()
            places = [word.partition("=")[0] for word in words if "=" in word]
            at = {loop: options.pop(loop) for loop in places}
            last = operands.index("at") == len(operands) - 1
            fits(last and bool(at), cls, "needs LOOP=VALUE behind `at`")
            operands = operands[:-1]
        check_clause(clause, cls, options=("partial", *at), names=True)
        for value in at.values():
            parse_value(str(value), f"usage: `{cls.usage}`")
        nests = []
        for operand in operands:
            known = isinstance(operand, str) and is_identifier(operand)
            fits(known, cls, f"needs the name of a nest where `{operand}` stands")
            nests.append(str(operand))
        check(
            len(set(nests)) > 1 and len(set(nests)) == len(nests),
            "`fuse` needs two or more different nests",
            "name each nest once: `nest NAME` above a loop names it",
            "LX115",
        )
        partial = options.get("partial", 0)
        if "partial" in options:
            partial = bounded(partial, "number of fused loops")
        if partial:
            want = int(partial) + 1
            fits(
                len(clause.names) in (0, want),
                cls,
                f"gives {want} loops here (f is the last): name all of them after `as`",
            )
        place, source = clause.place, clause.source
        return cls(
            tuple(nests),
            int(partial),
            clause.names,
            tuple(at.items()),
            place=place,
            source=source,
        )

    @property
    def text(self) -> str:
        """``fuse a b partial=2 at k=j as i j f``."""
        counted = (f"partial={self.partial}",) if self.partial else ()
        at = ("at", *(f"{x}={y}" for x, y in self.at)) if self.at else ()
        return join(self.verb, *self.nests, *counted, *at, names=self.names)

    @property
    def joins(self) -> tuple[str, ...]:
        """The nests."""
        return self.nests

    def weaker(self, before: Schedule) -> Iterator[tuple[Verb, str]]:
        """Fewer loops of the nests, or one of these behind a loop that it lacks."""
        for count in range(self.partial - 1 if self.partial else 3, 0, -1):
            yield replace(self, partial=count, names=()), "fewer loops are fused"
        if self.at:
            return
        parts = [part(before, name, group(before, name)) for name in self.nests]
        least = min(len(one.chain) for one in parts)
        for band in max((one.chain for one in parts), key=len)[least:]:
            if value := stop(before, band.dim):
                at = ((band.dim.name, value),)
                yield replace(self, at=at), "what lacks that loop runs behind it"

    def change(self, schedule: Schedule) -> Schedule:
        """Align the outer loops, and put the fusing dimension inside them."""
        groups = {name: group(schedule, name) for name in self.nests}
        for own in groups.values():
            schedule = taken_along(schedule, own.statements)
        parts = [part(schedule, name, own) for name, own in groups.items()]
        parent = side_by_side(schedule.tree, parts)
        rank = self._rank(parts)
        fits(
            len(self.names) in (0, rank + 1),
            type(self),
            f"gives {rank + 1} loops here (f is the last): name all of them after `as`",
        )
        old = {band.dim.name for one in parts for band in one.chain[:rank]}
        check_new(used(schedule), self.names[:rank], *old)
        check_new(loop_names(schedule), self.names[rank:], *old)
        return fused(schedule, parent, parts, rank, self.names, self._places())

    @property
    def parameters(self) -> frozenset[str]:
        """The names in the values."""
        return frozenset[str]().union(*map(variables, self._places().values()))

    def _places(self) -> dict[str, IntExpr]:
        """The values of the loops that some nests lack."""
        usage = f"usage: `{self.usage}`"
        return {name: parse_value(str(value), usage) for name, value in self.at}

    def _rank(self, parts: Sequence[Part]) -> int:
        """How many loops are fused."""
        longest = max(parts, key=lambda one: len(one.chain))
        short = [one for one in parts if one.imperfect]
        limit = min(short, key=lambda one: len(one.chain)) if short else longest
        count = len(limit.chain)
        kind = " nested perfectly" if limit.imperfect else ""
        check(
            self.partial <= count,
            f"`partial={self.partial}` is too much: `{limit.name}` has "
            f"{count} loop{'s' * (count != 1)}{kind}",
            f"write `partial={count}` or less",
            "LX114",
        )
        return self.partial or count


def fuse(
    *nests: str,
    partial: int | None = None,
    at: Mapping[str, str | int] | None = None,
    as_: Sequence[str] = (),
) -> Fuse:
    """Make one nest of several.

    Args:
        nests: their names.
        partial: how many of their loops are fused; all by default.
        at: the values of loops at which nests stand that lack them.
        as_: names of the fused loops, and of the fusing dimension.
    """
    made = make(Fuse, *nests, options=given(partial=partial), names=as_)
    return replace(made, at=make(Fuse, *nests, "at", options=at).at) if at else made
