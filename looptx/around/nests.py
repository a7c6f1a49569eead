"""The nests beside an anchor, and what they pass to one another."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from looptx.directives.around.contraction import is_contraction
from looptx.directives.names import group
from looptx.model.elements import Access
from looptx.model.program import Nest
from looptx.model.schedule import Band, Schedule, bands, statements


class Nests:
    """The nests of a schedule that may move into the loops of one of them.

    Args:
        schedule: before any has moved. anchor: the name of that nest.

    Attributes:
        anchor: its name. names: of the others, in the order of the source.
    """

    def __init__(self, schedule: Schedule, anchor: str) -> None:
        self.anchor = anchor
        own = group(schedule, anchor).statements
        order = {name: at for at, name in enumerate(statements(schedule.tree))}
        found: dict[str, frozenset[str]] = {}
        for name, one in schedule.groups.items():
            there = not order.keys().isdisjoint(one.statements)
            apart = own.isdisjoint(one.statements)
            if there and apart and name not in schedule.fused:
                found[name] = one.statements
        whole = {
            name: held
            for name, held in found.items()
            if not any(held < other for other in found.values())
        }
        self._held = {anchor: own, **whole}
        self._at = {
            name: min((order[x] for x in held if x in order), default=0)
            for name, held in self._held.items()
        }
        self.names = tuple(sorted(whole, key=self._at.__getitem__))
        known = schedule.nest.statements
        accesses = {
            name: [access for x in held for access in known[x].accesses]
            for name, held in self._held.items()
        }
        self._reads = _touched(accesses, write=False)
        self._writes = _touched(accesses, write=True)
        self.contractions = frozenset(
            name
            for name, held in whole.items()
            if any(is_contraction(known[x]) for x in held)
        )
        others = (
            one.statements
            for name, one in schedule.groups.items()
            if one.statements < own and name not in schedule.fused
        )
        self._home = own.difference(*others)

    def loops(self, schedule: Schedule) -> list[Band]:
        """The anchor's loops in a schedule, outer ones first.

        Those of nests that have moved into it are not among them. A collapsed loop has
        another dimension after each move.
        """
        own = group(schedule, self.anchor).statements
        found: dict[int, Band] = {}
        for band in bands(schedule.tree):
            held = {*statements(band)}
            if held <= own and held & self._home and not band.dim.fusing:
                found.setdefault(band.dim.uid, band)
        return [*found.values()]

    def held(self, name: str) -> frozenset[str]:
        """The statements of a nest, by the names that they have before it moves."""
        return self._held[name]

    def producers(self, name: str) -> list[str]:
        """The nests before one that write what it reads, the nearest first."""
        return [x for x in reversed(self.names) if self.feeds(x, name)]

    def consumers(self, name: str) -> list[str]:
        """The nests behind one that read what it writes, the nearest first."""
        return [x for x in self.names if self.feeds(name, x)]

    def feeds(self, one: str, other: str) -> bool:
        """Whether a nest stands before another, and writes what that one reads."""
        ahead = self._at[one] < self._at[other]
        return ahead and not self._writes[one].isdisjoint(self._reads[other])

    def meet(self, one: str, other: str) -> bool:
        """Whether one of two nests writes what the other one uses."""
        first, second = (self._reads[x] | self._writes[x] for x in (one, other))
        ours, theirs = self._writes[one], self._writes[other]
        return not (ours.isdisjoint(second) and theirs.isdisjoint(first))

    def exchange(self, name: str, other: Nest) -> bool:
        """Whether a nest and one of another schedule exchange something."""
        accesses = (x for one in other.statements.values() for x in one.accesses)
        written = {access.array for access in accesses if access.write}
        uses = {*other.arrays, *other.live_in, *other.scalars}
        ours = self._writes[name]
        return bool(ours & uses or written & (self._reads[name] | ours))

    def along(self, name: str, left: Collection[str]) -> list[str]:
        """The nests that come along with one: they stand between, and depend on it.

        What moves backward takes along what it reads, what moves forward what reads it,
        and so on; those nearest to it come first.

        Args:
            name: of the nest. left: those that may.
        """
        behind = self._at[name] > self._at[self.anchor]
        low, high = sorted((self._at[name], self._at[self.anchor]))
        between = [x for x in self.names if x in left and low < self._at[x] < high]
        found = [name]
        for one in reversed(between) if behind else between:
            pairs = ((one, x) if behind else (x, one) for x in found)
            if any(self.feeds(*pair) for pair in pairs):
                found.append(one)
        return found[1:]


def _touched(
    accesses: Mapping[str, Sequence[Access]], *, write: bool
) -> dict[str, frozenset[str]]:
    """The arrays and scalars that each of some nests writes, or reads."""
    return {
        name: frozenset(one.array for one in own if one.write == write)
        for name, own in accesses.items()
    }
