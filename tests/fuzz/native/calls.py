"""Calls of a function: sizes, arrays that are just large enough, overlaps, threads."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from kit.recording import Endless, Recorded, places

from fuzz.generate.habits.optional import MAYBE
from fuzz.native.program import read, reassociated, written
from fuzz.programs.dice import Dice
from fuzz.programs.model import Array, Function, Program
from fuzz.programs.nodes import depths
from fuzz.values.memory import FREE, TURNS, Given, Memory
from fuzz.values.numbers import STYLES, numbers

COUNT = 10
"""How many calls a function gets."""

LENGTHS = (0, 1, 2, 3, 5, 7, 13)
LARGEST = {1: 67, 2: 17, 3: 8, 4: 5}
"""The largest size by the depth of loops: CPython runs them, too. One of two loops may
be as long as one alone, which has more iterations than a parallel sum has blocks."""

THREADS = (1, 2, 4)
POOL = 61
"""How many different numbers the cells of a ``Probe`` have."""

ROOM = 4
"""How much larger than the sizes arrays are when it is not known what is needed."""

OTHERS = (float, np.float64, np.float32, bool, np.bool_, np.uint8, np.int32, complex)
"""Numbers that sizes are at times: CPython refuses most of them, in its own words."""

POISONS = (0xA5, 0xA5, 0x7F, 0xFF)


@dataclass(frozen=True)
class Call:
    """Arguments.

    Attributes:
        number: of the call among those of its function.
        threads: how many a parallel loop gets; a run for each.
        exact: whether bits are the same in any order of sums: floats that are no
            integers or too large are not compared then, and zeros have no sign.
        unseen: the arrays that nobody looks at afterwards.
        absent: those in whose place it is given None.
    """

    number: int
    arrays: tuple[Given, ...]
    sizes: tuple[tuple[str, int], ...]
    threads: tuple[int, ...]
    poison: int
    exact: bool
    integer: type = int
    unseen: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()

    def forget(self, memory: Memory) -> None:
        """Make what nobody looks at the same after all runs; what is shared counts."""
        for name in self.unseen:
            own = memory.arrays[name]
            others = (one for other, one in memory.arrays.items() if other != name)
            if own.flags.writeable and not any(
                np.shares_memory(own, x) for x in others
            ):
                own[...] = 0

    def memory(self) -> Memory:
        """The arrays, made anew."""
        return Memory(self.arrays, self.poison)

    def arguments(self, memory: Memory) -> dict[str, Any]:
        """What the function is called with."""
        sizes = {name: self.integer(size) for name, size in self.sizes}
        absent = self.absent & memory.arrays.keys()
        return {**memory.arrays, **dict.fromkeys(absent), **sizes}

    def __str__(self) -> str:
        kind = "" if self.integer is int else f" {self.integer.__name__}"
        sizes = (f"{name}={value}{kind}" for name, value in self.sizes)
        names = self.absent & {one.name for one in self.arrays}
        absent = (f"{name}=None" for name in sorted(names))
        return "; ".join([*map(str, self.arrays), ", ".join([*sizes, *absent])])


class Probe(Recorded):
    """A large array that remembers which extents an execution needs.

    Args:
        given: what the array is like. most: its extents are no larger.

    Attributes:
        least: the extents so far.
    """

    def __init__(self, given: Given, most: int) -> None:
        known = numbers(given.dtype, (POOL,), given.style, given.seed)
        super().__init__(Endless(lambda at: known[hash(at) % POOL]), self._touch)
        self.shape = given.shape
        self.most = most
        self.least = [0] * len(given.shape)
        self.cell = np.empty(1, given.dtype)

    def _touch(self, at: Any, *_: object) -> None:
        whole = places(at)
        for axis, index in enumerate(whole):
            needed = int(index) + 1 if index >= 0 else -int(index)
            if needed > self.most:
                raise IndexError(index)
            self.least[axis] = max(self.least[axis], needed)
        if len(whole) < len(self.least):
            raise NotImplementedError("a row")

    def __setitem__(self, at: Any, value: Any) -> None:
        self._touch(at)
        self.cell[0] = value
        self.values[at] = self.cell[0]


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
        depth = max((1, *depths(self.function.body)))
        largest = LARGEST[min(depth, 4)]
        words = " ".join(self.made.directives)
        blocks = {int(word) for word in re.findall(r"\b\d+\b", words)}
        edges = {b * k + more for b in blocks for k in (1, 2) for more in (-1, 0, 1)}
        known = [x for x in {*LENGTHS, *edges, largest} if 0 <= x <= largest]
        dice = self.dice("sizes")
        first = [(largest, largest), (min(largest, 7), min(largest, 5)), (0, 3), (1, 1)]
        if depth == 2:
            first += [(LARGEST[1], 3), (2, LARGEST[1])]
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
            self._integer(),
            self.function.scratch & {one.name for one in self.function.arrays},
            self._absent(),
        )

    def _absent(self) -> frozenset[str]:
        """The arrays that no call is given."""
        absent = Dice(f"{self.seed} absent").chance(40)
        return frozenset((MAYBE,) if absent else ())

    def _integer(self) -> type:
        """What numbers the sizes are."""
        if Dice(f"{self.seed} number").chance(1):
            return Dice(f"{self.seed} which number").pick(*OTHERS)
        often = 40 if self.function.setting.derived else 6
        return np.int64 if Dice(f"{self.seed} integer").chance(often) else int

    def _array(self, one: Array, extents: tuple[int, ...]) -> Given:
        """An array of this call."""
        dice = self.dice(one.like or one.name)
        layout = Dice(f"{self.seed} layout {one.like or one.name}").pick(
            "C", "C", "F", "free", "free", "free", "free"
        )
        if Dice(f"{self.seed} layouts").chance(45):
            layout = "C"
        if layout == "free":
            layout = dice.pick(*FREE)
        if dice.chance(0.7):
            layout = "unaligned"
        style = self.style if self.exact else dice.pick("counts", "factors")
        if one.name == "idx":
            style = "positions"
        elif one.name not in read(self.function) and dice.chance(80):
            style = "poison"
        seed = f"{self.seed} {self.number} {one.name}"
        fixed = dice.chance(0.7 if one.name in written(self.function) else 20)
        return Given(one.name, one.dtype, extents, layout, style, seed, fixed)

    def _least(self, called: Callable[..., Any]) -> dict[str, tuple[int, ...]]:
        """The extents that the function needs, or a few more, or one less."""
        arrays = self.function.arrays
        given_by = next((one.name for one in arrays if one.rank == 2), "")
        known = {given_by: tuple(self.sizes.values())} if self.function.shaped else {}
        largest = max(self.sizes.values())
        room = {one.name: (largest + ROOM,) * one.rank for one in arrays} | known
        probes = {
            one.name: Probe(self._array(one, room[one.name]), 2 * largest + 3 * ROOM)
            for one in arrays
        }
        sure = True
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                called(**probes, **self.sizes)
            except Exception:
                sure = False
        found: dict[str, tuple[int, ...]] = {}
        for name, one in probes.items():
            least = one.least if sure else map(max, one.least, room[name])
            found[name] = self._near(name, tuple(least))
        found |= known
        return found | {one.name: self._asked(one, found) for one in arrays}

    def _asked(self, one: Array, found: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
        """The extents of an array, mostly as it is to have them."""
        first = one.like or one.name
        dice = self.dice(f"asked {first}")
        if dice.chance(95):
            both = [x.name for x in self.function.arrays if first in (x.name, x.like)]
            extents = (found[name] for name in both)
            found = (
                {**found, one.name: tuple(map(max, *extents))} if both[1:] else found
            )
        if one.row:
            row = one.row + (dice.pick(-1, 1, 1) if dice.chance(14) else 0)
            return (*found[one.name][:-1], row)
        return found[one.name]

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
        changed = written(self.function)
        # What shares memory with it is looked at by other nests.
        hidden = self.function.scratch if len(self.function.body) > 1 else frozenset()
        pairs = [
            (a, b)
            for a, b in combinations(range(len(given)), 2)
            if given[a].dtype == given[b].dtype
            and {given[a].name, given[b].name} & changed
            and not {given[a].name, given[b].name} & hidden
        ]
        if not pairs or not dice.chance(20):
            return given
        a, b = dice.pick(*pairs)
        one, two = given[a], given[b]
        # Cells that are all alike would not show which of them were read.
        style = two.style if one.style == "poison" else one.style
        one = replace(one, style=style, fixed=False)
        two = replace(two, fixed=False, of=one.name)
        if len(one.shape) == len(two.shape) and not self.function.shaped:
            if dice.chance(30):
                shape = tuple(map(max, one.shape, two.shape))
                one, two = replace(one, shape=shape), replace(two, shape=shape)
                two = replace(two, how=dice.pick(*TURNS))
            elif dice.chance(60):
                two = replace(two, layout=one.layout)
        if not two.how:
            two = replace(two, behind=self._behind(one, dice))
        given[a], given[b] = one, two
        return given

    def _behind(self, one: Given, dice: Dice) -> int:
        """How many cells after an array another one begins.

        Mostly a few rows and columns: those are what loops step by.
        """
        axes = list(zip(one.shape, one.strides, strict=True))
        room = max(extent * stride for extent, stride in axes)
        near = sum(dice.pick(-1, 0, 0, 1) * stride for _, stride in axes)
        return dice.pick(0, near, near, near, 1, -1, room, room - 1, room // 2)
