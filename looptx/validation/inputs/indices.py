"""What index arrays hold: numbers that decide which cells a function touches.

Unless the user vouches for it, nothing says that they name a position once. So there
are two kinds of runs: in one they name every position at most once, in the other they
repeat themselves. What `trust independent A` promises stays true in both: no position
of ``A`` is named twice by the arrays that its subscripts come from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping

from looptx.model.records import dataclass

BOUNDS = ""
"""Stands for the bounds of loops, among the arrays that others are subscripts of."""


@dataclass(frozen=True, slots=True)
class Indices:
    """What is known of the index arrays of a function.

    Attributes:
        into: for each array (and ``BOUNDS``) the index arrays its subscripts come from.
        names: all index arrays.
        apart: those that name each position once because the user says so, all of them
            together. ascending: those of them that bound loops: their segments are
            disjoint.
    """

    into: Mapping[str, frozenset[str]]
    names: tuple[str, ...]
    apart: tuple[str, ...]
    ascending: frozenset[str]

    @classmethod
    def of(
        cls,
        into: Mapping[str, frozenset[str]],
        names: Collection[str],
        trusted: Collection[str],
    ) -> Indices:
        """What follows from the arrays of which accesses are vouched for.

        Args:
            into: for each array the index arrays its subscripts come from.
            names: all index arrays.
            trusted: the arrays whose accesses the user vouches for.

        Returns:
            What their runs may assume.
        """
        vouched = frozenset[str]().union(*(into.get(one, ()) for one in trusted))
        apart = tuple(name for name in names if name in vouched)
        ascending = vouched & into.get(BOUNDS, frozenset())
        return cls(into, tuple(names), apart, ascending)

    @property
    def free(self) -> tuple[str, ...]:
        """The index arrays that may name a position as often as they like."""
        return tuple(name for name in self.names if name not in self.apart)

    @property
    def distinct(self) -> tuple[str, ...]:
        """The index arrays whose numbers must differ because the user says so."""
        return tuple(name for name in self.apart if name not in self.ascending)

    @property
    def most(self) -> int:
        """How many different numbers they hold for one position of each."""
        return max(1, len(self.distinct))

    @property
    def assumed(self) -> tuple[str, ...]:
        """What is taken for granted about them, one phrase each."""
        return (
            *(f"`{name}` names each position once" for name in self.distinct),
            *(f"`{name}` ascends" for name in self.apart if name in self.ascending),
        )

    def number(
        self, name: str, at: int, limit: int, repeat: bool, chance: Callable[[str], int]
    ) -> int:
        """The number in one cell of an index array.

        Args:
            name: of the array. at: the cell, counted in row-major order.
            limit: the number is below it.
            repeat: whether arrays that may name a position again do.
            chance: a pseudo-random number for a text.

        Returns:
            The number.
        """
        if name in self.ascending:
            return min(3 * at // 2, limit)
        if name in self.apart:
            at = at * self.most + self.distinct.index(name)
            return (at * _stride(limit) + chance("apart") % limit) % limit
        if repeat:
            return chance(f"{name}[{at}]") % ((limit + 1) // 2)
        return (at * _stride(limit) + chance(name) % limit) % limit


def _stride(limit: int) -> int:
    """A step through the numbers below ``limit`` that visits each of them."""
    step = max(1, limit * 5 // 8)
    while math.gcd(step, limit) != 1:
        step += 1
    return step
