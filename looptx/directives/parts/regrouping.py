"""Where the statements of a reduction stand that is cut in two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count, takewhile
from typing import TypeVar

from looptx.model.dims import paths
from looptx.model.expr import Var
from looptx.model.moves import Factor
from looptx.model.records import replace
from looptx.model.schedule import (
    Band,
    Dim,
    Group,
    Leaf,
    Schedule,
    Tree,
    bands,
    counted,
    sequence,
    statements,
)
from looptx.model.schedule import Sequence as InOrder
from looptx.model.tree import parts, without

Value = TypeVar("Value")


def regrouped(
    schedule: Schedule, factor: Factor, dim: Dim, outer: Sequence[Dim]
) -> Schedule:
    """The schedule with the new nest, and with the total where the reduction stood.

    Args:
        schedule: the schedule.
        factor: the step. ``nest`` has its statements later.
        dim: the loop whose iterations have parts.
        outer: the dimensions that tell parts apart, outermost first.
    """
    return _Regrouping(schedule, factor, dim, outer).done()


class _Regrouping:
    """The trees and maps of what replaces a statement.

    Attributes:
        old, new: the statement's name before and now.
        loops: the coordinate of each dimension that tells parts apart.
    """

    def __init__(
        self, schedule: Schedule, factor: Factor, dim: Dim, outer: Sequence[Dim]
    ) -> None:
        self.schedule = schedule
        self.factor = factor
        self.dim = dim
        self.outer = outer
        ((self.old, self.new),) = factor.moved.items()
        uids = [dim.uid, *(each.uid for each in outer if each.uid != dim.uid)]
        self.loops = dict(zip(uids, factor.coordinates, strict=True))
        self.fresh = count(schedule.fresh)
        self.position = _without(schedule.position, self.old)
        self.owner = _without(schedule.owner, self.old)
        self.index = {
            key: value for key, value in schedule.index.items() if key[0] != self.old
        }

    def done(self) -> Schedule:
        """The schedule, which has the old nest yet."""
        nest = self._parts()
        total = self._total(self.schedule.tree, {*self.loops})
        tree = _before(total, nest, self.factor.total)
        return replace(
            self.schedule,
            tree=tree,
            position=self.position,
            owner=self.owner,
            index=self.index,
            groups=self._groups(),
            fresh=next(self.fresh),
        )

    def _parts(self) -> Tree:
        """The nest that collects the terms of each part, the loop outermost."""
        path = paths(self.schedule.tree)[self.old]
        rest = [x for x in path if not x.fusing and x.uid != self.dim.uid]
        shared = [self.dim, *takewhile(lambda x: x.uid in self.loops, rest)]
        inner = rest[len(shared) - 1 :]
        copies = {x.uid: next(self.fresh) for x in (*shared, *inner)}
        self._moved(copies)
        start: Tree = Leaf(self.factor.start)
        for each in reversed([x for x in inner if x.uid in self.loops]):
            start = Band(self._own(each, self.factor.start), start)
        for each in shared:
            self._counted(copies[each.uid], each.uid, self.factor.start)
        alone = frozenset(
            band.dim.uid
            for band in bands(self.schedule.tree)
            if statements(band) == (self.old,)
        )
        terms: Tree = Leaf(self.new)
        for each in reversed(inner):
            terms = Band(_copy(each, copies[each.uid], alone), terms)
        both = sequence((start, terms))
        for each in reversed(shared):
            both = Band(_copy(each, copies[each.uid], alone), both)
        return both

    def _moved(self, copies: Mapping[int, int]) -> None:
        """Give the statement the same positions in other dimensions."""
        known = self.schedule
        for uid, new in copies.items():
            self.position[new] = {self.new: known.position[uid][self.old]}
            owner = known.owner.get(uid, {})
            self.owner[new] = {self.new: owner[self.old]} if self.old in owner else {}
        for (name, loop), value in known.index.items():
            if name == self.old:
                weights = {copies[x]: y for x, y in value.weights.items()}
                self.index[self.new, loop] = replace(value, weights=weights)

    def _counted(self, uid: int, old: int, name: str) -> None:
        """Give a statement its coordinate as the position in a dimension."""
        loop = self.loops[old]
        self.position.setdefault(uid, {})[name] = Var(loop)
        self.owner.setdefault(uid, {})[name] = loop
        self.index[name, loop] = counted(uid)

    def _own(self, dim: Dim, name: str) -> Dim:
        """A loop of its own for a statement."""
        uid = next(self.fresh)
        self._counted(uid, dim.uid, name)
        return Dim(uid, dim.name)

    def _total(self, tree: Tree, left: set[int]) -> Tree:
        """A tree with the statement that collects the parts.

        Args:
            tree: has the reduction.
            left: the dimensions that are not around it yet.
        """
        name = self.factor.total
        match tree:
            case Band(dim, body) if statements(tree) != (self.old,) and (
                dim.fusing or dim.uid in left
            ):
                if dim.fusing:
                    known = self.schedule.position[dim.uid][self.old]
                    self.position[dim.uid][name] = known
                else:
                    self._counted(dim.uid, dim.uid, name)
                return Band(dim, self._total(body, left - {dim.uid}))
            case InOrder(children):
                return sequence(
                    tuple(
                        self._total(x, left) if self.old in statements(x) else x
                        for x in children
                    )
                )
        total: Tree = Leaf(name)
        for dim in reversed([x for x in self.outer if x.uid in left]):
            total = Band(self._own(dim, name), total)
        if statements(tree) == (self.old,):
            return total
        return sequence((without(tree, {self.old}), total))

    def _groups(self) -> dict[str, Group]:
        """The named nests: the old name stays with what collects the parts."""
        factor, coordinates = self.factor, frozenset(self.factor.coordinates)
        own = self.schedule.nest.statements[self.old].loops
        found = {
            name: replace(
                one,
                statements=one.statements - {self.old} | {factor.total},
                loops=one.loops | coordinates,
            )
            if self.old in one.statements
            else one
            for name, one in self.schedule.groups.items()
        }
        new = frozenset((factor.start, self.new))
        found[factor.buffer] = Group(new, coordinates.union(own))
        return found


def _copy(dim: Dim, uid: int, alone: frozenset[int]) -> Dim:
    """A loop for the terms: a plain one where the old one stays with others."""
    if dim.uid not in alone:
        return Dim(uid, dim.name, part=dim.part)
    return Dim(uid, dim.name, dim.marks, headers=dim.headers, part=dim.part)


def _without(
    known: Mapping[int, Mapping[str, Value]], name: str
) -> dict[int, dict[str, Value]]:
    """The maps of all other statements."""
    return {
        uid: {x: y for x, y in values.items() if x != name}
        for uid, values in known.items()
    }


def _before(tree: Tree, new: Tree, name: str) -> Tree:
    """A tree with another one before the outermost one of its nests with a name."""
    children = parts(tree)
    at = next(x for x, child in enumerate(children) if name in statements(child))
    return sequence((*children[:at], new, *children[at:]))
