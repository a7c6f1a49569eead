"""Tasks before they run, and which worker runs them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

from looptx.cluster.work.boxes import Box
from looptx.cluster.work.cells import Work
from looptx.model.records import dataclass, field

Key: TypeAlias = tuple[Any, ...]
Place: TypeAlias = Sequence[tuple[int, int, int, int]]
Grid: TypeAlias = tuple[int, ...]
Spot: TypeAlias = tuple[Place, bool]
"""A block, as ``Layout.worker`` is asked for its worker."""


class TaskFailed(BaseException):
    """A task raised: the loops as written tell which exception is the first.

    No handler of the function's own may take it for its exception.
    """


@dataclass(slots=True, eq=False)
class Node:
    """A task.

    Attributes:
        key: its name: the kernel and nest, a number, and its block.
        worker: the number of the worker that runs it. size: the bytes that it gives.
        function: what it calls, with ``given`` and what its ``inputs`` gave.
        written: the cells that it writes, by the names of its windows.
        lent: the windows in which a later task works.
        through: the cells that go to arrays in files as soon as they are there: the
            array, the box and the window.
        sent: whether it was handed to whatever runs it.
        used: whether anything needs what it gives.
        value: what whatever runs it keeps of it.
    """

    key: Key
    worker: int
    function: Callable[..., Any]
    given: tuple[Any, ...] = ()
    inputs: list[Node] = field(default_factory=list)
    size: int = 0
    written: dict[str, list[Box]] = field(default_factory=dict)
    lent: set[str] = field(default_factory=set)
    through: list[tuple[Any, Box, str]] = field(default_factory=list)
    sent: bool = False
    used: bool = False
    value: Any = None

    @property
    def work(self) -> Work | None:
        """What it runs of a nest, if it does."""
        one = self.given[0] if self.given else None
        return one if isinstance(one, Work) else None


class Layout:
    """Which worker has which block: neighbours together, or one after the other.

    Args:
        workers: how many there are.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._grids: dict[object, Grid] = {}

    def worker(self, place: Place, cyclic: bool) -> int:
        """The worker of a block.

        Args:
            place: for each bound loop which iteration it is, of how many, which of all
                that there may be, and how far they are apart.
            cyclic: whether neighbours are apart.
        """
        grid = self._grid(tuple((one[1], one[3]) for one in place), cyclic)
        found = 0
        for (at, count, absolute, _), many in zip(place, grid, strict=True):
            found = found * many + (absolute % many if cyclic else at * many // count)
        return found

    def _grid(self, loops: tuple[tuple[int, int], ...], cyclic: bool) -> Grid:
        """How many workers there are along each bound loop.

        Args:
            loops: how many iterations each has, and how far they are apart.
            cyclic: whether neighbours are apart.
        """
        key = cyclic, (() if cyclic else loops), len(loops)
        known = self._grids.get(key)
        if known is None:
            shapes = _shapes(self.workers, len(loops))
            if cyclic:
                known = min(shapes, key=lambda shape: (sum(shape), shape[::-1]))
            else:
                known = min(shapes, key=lambda shape: _border(shape, loops))
            self._grids[key] = known
        return known


class Apart(Layout):
    """Each block with a worker of its own: it is not known which run where.

    So only the cells that blocks read of each other travel, whoever has them.

    Attributes:
        spots: where each such worker is among others, by its number.
    """

    def __init__(self) -> None:
        super().__init__(sys.maxsize)
        self.spots: list[Spot] = []
        self._blocks: dict[tuple[int, ...], int] = {}

    def worker(self, place: Place, cyclic: bool) -> int:
        """The worker of a block.

        Args:
            place, cyclic: as of ``Layout``.
        """
        block = tuple(absolute for _, _, absolute, _ in place)
        if block not in self._blocks:
            self._blocks[block] = len(self.spots)
            self.spots.append((tuple(place), cyclic))
        return self._blocks[block]


def _shapes(number: int, ranks: int) -> list[Grid]:
    """The ways to write a number as so many factors."""
    if ranks == 1:
        return [(number,)]
    return [
        (first, *rest)
        for first in range(1, number + 1)
        if number % first == 0
        for rest in _shapes(number // first, ranks - 1)
    ]


def _border(shape: Grid, loops: Sequence[tuple[int, int]]) -> tuple[float, ...]:
    """How many workers are idle, and how long the borders between others are."""
    pairs = list(zip(shape, loops, strict=True))
    idle = prod(max(1, many / max(count, 1)) for many, (count, _) in pairs)
    cuts = sum((many - 1) / max(count * step, 1) for many, (count, step) in pairs)
    return idle, cuts, *(-many for many in shape)
