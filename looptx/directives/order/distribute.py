"""``distribute``: loop fission, one loop for each statement or loop in a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from looptx.directives.base import LoopVerb, check_clause, fits, join, loop_name, make
from looptx.directives.fusing import in_order
from looptx.directives.names import check_new, find, used
from looptx.directives.order.reorder import permute
from looptx.language.grammar import Clause
from looptx.model.dims import detached, loops
from looptx.model.records import dataclass, replace
from looptx.model.schedule import (
    Band,
    Schedule,
    Tree,
    replace_band,
    sequence,
    statements,
)
from looptx.model.tree import parts, with_dims


@dataclass(frozen=True)
class Distribute(LoopVerb):
    """Give each statement and each loop that stands in a loop a loop of its own.

    syntax: ``distribute LOOP [as NAME...]``
    rewrite: ``for i: A; B`` -> ``for i: A`` and then ``for i: B``
    """

    names: tuple[str, ...] = ()

    verb = "distribute"
    usage = "distribute LOOP [as NAME...]"

    @classmethod
    def from_clause(cls, clause: Clause) -> Distribute:
        """Read a loop and perhaps names."""
        check_clause(clause, cls, names=True)
        fits(len(clause.operands) == 1, cls, "takes one loop")
        loop = loop_name(clause.operands[0], cls)
        return cls(loop, clause.names, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``distribute i as i_first i_last``."""
        return join(self.verb, self.loop, names=self.names)

    def change(self, schedule: Schedule) -> Schedule:
        """Put a loop of a dimension of its own around each thing in the loop."""
        dim = find(schedule, self.loop)
        if dim.fusing:
            raise in_order(dim)
        check_new(used(schedule, dim), self.names, dim.name)
        result, found = distributed(schedule, dim.uid)
        fits(
            len(self.names) in (0, len(found)),
            type(self),
            f"gives {len(found)} loops here: name all of them after `as`",
        )
        return _renamed(result, dict(zip(found, self.names, strict=False)))


def distributed(schedule: Schedule, uid: int) -> tuple[Schedule, list[int]]:
    """The schedule in which each thing in the loops of a dimension has its own loop.

    What stands in a loop of fused nests is what stands in it of each nest, so a fusing
    dimension right inside it goes outside first; it holds the nests apart there, too.

    Returns:
        The schedule, and the dimensions of these loops in textual order.
    """
    first, *others = loops(schedule.tree, uid)
    fusing = _fusing(first)
    if not others and fusing:
        schedule = permute(schedule, [*fusing, uid])
    elif not others:
        schedule = schedule.with_tree(replace_band(schedule.tree, uid, _each))
    _, *others = loops(schedule.tree, uid)
    if not others and not fusing:
        return schedule, [uid]
    found = [uid]
    for band in others:
        found.append(schedule.fresh)
        schedule = detached(schedule, uid, statements(band))
    result: list[int] = []
    for one in found:
        schedule, inside = distributed(schedule, one)
        result += inside
    return schedule, result


def _each(band: Band) -> Tree:
    """A loop around each statement or loop of a loop's body."""
    return sequence(tuple(Band(band.dim, child) for child in parts(band.body)))


def _fusing(band: Band) -> list[int]:
    """The fusing dimensions right inside a loop."""
    found: list[int] = []
    inner = band.body
    while isinstance(inner, Band) and inner.dim.fusing:
        found.append(inner.dim.uid)
        inner = inner.body
    return found


def _renamed(schedule: Schedule, names: Mapping[int, str]) -> Schedule:
    """The schedule with other names for some dimensions."""
    tree = with_dims(
        schedule.tree, lambda dim: replace(dim, name=names.get(dim.uid, dim.name))
    )
    return schedule.with_tree(tree)


def distribute(loop: str, *, as_: Sequence[str] = ()) -> Distribute:
    """Give each statement and each loop in ``loop`` a loop of its own."""
    return make(Distribute, loop, names=as_)
