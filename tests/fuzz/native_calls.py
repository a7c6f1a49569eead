"""Calls of a function: sizes, arrays that are just large enough, overlaps, threads."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from fuzz.dice import Dice
from fuzz.model import Array, Function, Program
from fuzz.native_memory import FREE, OVERLAPS, Given, Memory
from fuzz.native_program import read, reassociated, written
from fuzz.native_values import STYLES
from fuzz.nodes import depths

COUNT = 10
"""How many calls a function gets."""

LENGTHS = (0, 1, 2, 3, 5, 7, 13)
LARGEST = {1: 67, 2: 17, 3: 8, 4: 5}
"""The largest size by the depth of loops: CPython runs them, too."""

THREADS = (1, 2, 4)
POISONS = (0xA5, 0xA5, 0x7F, 0xFF)


@dataclass(frozen=True)
class Call:
    """Arguments.

    Attributes:
        number: of the call among those of its function.
        threads: how many a parallel loop gets; a run for each.
        exact: whether bits are the same in any order of sums: floats that are no
            integers or too large are not compared then, and zeros have no sign.
    """

    number: int
    arrays: tuple[Given, ...]
    sizes: tuple[tuple[str, int], ...]
    threads: tuple[int, ...]
    poison: int
    exact: bool
    integer: type = int

    def memory(self) -> Memory:
        """The arrays, made anew."""
        return Memory(self.arrays, self.poison)

    def arguments(self, memory: Memory) -> dict[str, Any]:
        """What the function is called with."""
        sizes = {name: self.integer(size) for name, size in self.sizes}
        return {**memory.arrays, **sizes}

    def __str__(self) -> str:
        kind = "" if self.integer is int else f" {self.integer.__name__}"
        sizes = (f"{name}={value}{kind}" for name, value in self.sizes)
        return "; ".join([*map(str, self.arrays), ", ".join(sizes)])


class Probe:
    """An array that remembers which extents an execution needs."""

    def __init__(self, cells: np.ndarray[Any, Any]) -> None:
        self.cells = cells
        self.shape = cells.shape
        self.least = [0] * cells.ndim

    def _touch(self, at: Any) -> None:
        for axis, index in enumerate(at if isinstance(at, tuple) else (at,)):
            needed = int(index) + 1 if index >= 0 else -int(index)
            self.least[axis] = max(self.least[axis], needed)

    def __getitem__(self, at: Any) -> Any:
        self._touch(at)
        return self.cells[at]

    def __setitem__(self, at: Any, value: Any) -> None:
        self._touch(at)
        self.cells[at] = value


def calls(made: Program, called: Callable[..., Any], seed: int) -> Iterator[Call]:
    """The calls of a program's only function.

    Args:
        made: the program. called: its function.
        seed: what they follow from. A program with less in it gets like calls.
    """
    for number in range(COUNT):
        yield _Caller(made, seed, number).call(called)


class _Caller:
    """Draws one call; every choice has dice of its own."""

    def __init__(self, made: Program, seed: int, number: int) -> None:
        self.made = made
        self.function: Function = made.functions[0]
        self.seed = seed
        self.number = number
        self.exact = not reassociated(made)
        self.style = self.dice("style").pick("plain", *STYLES)
        self.sizes = self._sizes()

    def dice(self, what: str) -> Dice:
        return Dice(f"{self.seed} {self.number} {what}")

    def _sizes(self) -> dict[str, int]:
        """Sizes, those around the blocks of directives among them."""
        largest = LARGEST[min(max(depths(self.function.body), default=1), 4)]
        words = " ".join(self.made.directives)
        blocks = {int(word) for word in re.findall(r"\b\d+\b", words)}
        edges = {b * k + more for b in blocks for k in (1, 2) for more in (-1, 0, 1)}
        known = [x for x in {*LENGTHS, *edges, largest} if 0 <= x <= largest]
        dice = self.dice("sizes")
        first = (largest, largest), (min(largest, 7), min(largest, 5)), (0, 3), (1, 1)
        if self.number < len(first):
            n, m = first[self.number]
        else:
            n, m = dice.pick(*sorted(known)), dice.pick(*sorted(known))
        return {"n": n, "m": m}

    def call(self, called: Callable[..., Any]) -> Call:
        extents = self._least(called)
        given = [self._array(one, extents[one.name]) for one in self.function.arrays]
        given = self._overlapping(given)
        parallel = any("parallel " in line for line in self.made.directives)
        dice = self.dice("rest")
        threads = THREADS if parallel else (dice.pick(*THREADS),)
        poison = dice.pick(*POISONS)
        return Call(
            self.number,
            tuple(given),
            tuple(self.sizes.items()),
            threads,
            poison,
            self.exact,
            np.int64 if Dice(f"{self.seed} integer").chance(6) else int,
        )

    def _array(self, one: Array, extents: tuple[int, ...]) -> Given:
        """An array of this call."""
        dice = self.dice(one.name)
        layout = Dice(f"{self.seed} layout {one.name}").pick(
            "C", "C", "F", "free", "free", "free", "free"
        )
        if Dice(f"{self.seed} layouts").chance(45):
            layout = "C"
        if layout == "free":
            layout = dice.pick(*FREE)
        if dice.chance(0.7):
            layout = "unaligned"
        style = self.style if self.exact else "counts"
        if one.name == "idx":
            style = "positions"
        elif one.name not in read(self.function) and dice.chance(80):
            style = "poison"
        seed = f"{self.seed} {self.number} {one.name}"
        fixed = dice.chance(0.7 if one.name in written(self.function) else 20)
        return Given(one.name, one.dtype, extents, layout, style, seed, fixed)

    def _least(self, called: Callable[..., Any]) -> dict[str, tuple[int, ...]]:
        """The extents that the function needs, or a few more, or one less."""
        most = 2 * max(self.sizes.values()) + 12
        arrays = self.function.arrays
        room = {one.name: (most,) * one.rank for one in arrays}
        given_by = next((one.name for one in arrays if one.rank == 2), "")
        known = {given_by: tuple(self.sizes.values())} if self.function.shaped else {}
        room |= known
        given = tuple(self._array(one, room[one.name]) for one in arrays)
        memory = Memory(tuple(replace(one, fixed=False) for one in given), 0)
        probes = {name: Probe(cells) for name, cells in memory.arrays.items()}
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                called(**probes, **self.sizes)
            except Exception:
                return room
        return {
            name: self._near(name, one.least) for name, one in probes.items()
        } | known

    def _near(self, name: str, extents: Sequence[int]) -> tuple[int, ...]:
        """The extents, or others near by."""
        dice = self.dice(f"extents {name}")
        more = tuple(x + dice.pick(0, 0, 0, 0, 1, 3) for x in extents)
        if not dice.chance(3):
            return more
        axis = dice.pick(*range(len(extents)))
        return (*more[:axis], max(extents[axis] - 1, 0), *more[axis + 1 :])

    def _overlapping(self, given: list[Given]) -> list[Given]:
        """The arrays, two of which share memory at times."""
        dice = self.dice("overlap")
        ranks = [(one.dtype, len(one.shape)) for one in given]
        changed = written(self.function)
        pairs = [
            (a, b)
            for a, b in combinations(range(len(given)), 2)
            if ranks[a] == ranks[b] and {given[a].name, given[b].name} & changed
        ]
        if self.function.shaped or not pairs or not dice.chance(20):
            return given
        a, b = dice.pick(*pairs)
        one, two = given[a], given[b]
        shape = tuple(map(max, one.shape, two.shape))
        # Cells that are all alike would not show which of them were read.
        style = two.style if one.style == "poison" else one.style
        given[a] = replace(one, shape=shape, style=style, fixed=False)
        how = dice.pick(*OVERLAPS)
        given[b] = replace(two, shape=shape, fixed=False, of=one.name, how=how)
        return given
