"""``tile``: blocks in several loops at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from looptx.directives.base import (
    Verb,
    bounded,
    check,
    check_clause,
    fits,
    join,
    loop_name,
    make,
)
from looptx.directives.names import check_new, find, loop_names, used
from looptx.directives.order.split import cut
from looptx.language.grammar import Clause
from looptx.model.records import dataclass
from looptx.model.schedule import Schedule


@dataclass(frozen=True)
class Tile(Verb):
    """Split several loops at once; each inner loop stands right inside its block loop.

    syntax: ``tile LOOP=SIZE... [as INNER...]``
    rewrite: ``for i: for j: S`` -> ``for i: for ii: for j: for jj: S``
    """

    sizes: tuple[tuple[str, int], ...]
    names: tuple[str, ...] = ()

    verb = "tile"
    usage = "tile LOOP=SIZE... [as INNER...]"

    @classmethod
    def from_clause(cls, clause: Clause) -> Tile:
        """Read ``loop=size`` pairs."""
        check_clause(clause, cls, options=tuple(clause.options), names=True)
        fits(not clause.operands, cls, "takes `loop=size` operands")
        fits(bool(clause.options), cls, "needs at least one `loop=size`")
        sizes = tuple(
            (loop_name(loop, cls), bounded(size, "block size"))
            for loop, size in clause.options.items()
        )
        fits(
            len(clause.names) in (0, len(sizes)),
            cls,
            f"has {len(sizes)} inner loops here: name all of them after `as`",
        )
        return cls(sizes, clause.names, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``tile i=32 j=32 as ii jj``."""
        pairs = (f"{loop}={size}" for loop, size in self.sizes)
        return join(self.verb, *pairs, names=self.names)

    @property
    def loops(self) -> tuple[str, ...]:
        """The loops that are cut."""
        return tuple(loop for loop, _ in self.sizes)

    @property
    def thresholds(self) -> Mapping[str, tuple[int, ...]]:
        """The size of each loop's blocks."""
        return {loop: (size,) for loop, size in self.sizes}

    def change(self, schedule: Schedule) -> Schedule:
        """Split each loop in its place."""
        dims = [find(schedule, loop) for loop, _ in self.sizes]
        check(
            len({dim.uid for dim in dims}) == len(dims),
            "`tile` names one loop twice",
            "give each loop one size",
        )
        every, apart = used(schedule), loop_names(schedule)
        for dim, name in zip(dims, self.names, strict=False):
            check_new(apart if dim.fusing else every, (name,))
        for number, (dim, (_, size)) in enumerate(zip(dims, self.sizes, strict=True)):
            names = ("", self.names[number]) if self.names else ()
            schedule, _, _ = cut(schedule, dim, size, names)
        return schedule


def tile(*, as_: Sequence[str] = (), **sizes: int) -> Tile:
    """Cut each named loop into blocks; the order of the loops stays."""
    return make(Tile, options=sizes, names=as_)
