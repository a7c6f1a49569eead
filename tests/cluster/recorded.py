"""What tasks really read and write: their text, run on arrays that remember it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from looptx.cluster.graph.nodes import Node
from looptx.cluster.work.boxes import Box


class Recording:
    """A window of an array that remembers the cells that it is asked for.

    Args:
        origin: its first cell.
    """

    def __init__(self, origin: tuple[int, ...]) -> None:
        self.origin = origin
        self.read: set[tuple[int, ...]] = set()
        self.written: set[tuple[int, ...]] = set()
        self.values: dict[tuple[int, ...], Any] = {}

    def _cell(self, index: Any) -> tuple[int, ...]:
        given = index if isinstance(index, tuple) else (index,)
        assert all(type(one) is int and one >= 0 for one in given)
        return tuple(at + low for at, low in zip(given, self.origin, strict=True))

    def __getitem__(self, index: Any) -> Any:
        cell = self._cell(index)
        if cell not in self.written:
            self.read.add(cell)
        return self.values.get(cell, np.float64(1.5 + sum(cell)))

    def __setitem__(self, index: Any, value: Any) -> None:
        cell = self._cell(index)
        self.written.add(cell)
        self.values[cell] = value


def recorded(node: Node) -> dict[str, Recording]:
    """The windows of a task after a run of its text as Python."""
    work = node.work
    assert work is not None
    windows = {
        name: Recording(tuple(start for start, _, _ in window.box))
        for name, window in work.windows.items()
    }
    given: dict[str, Any] = {**work.values, **windows}
    for name, window in windows.items():
        for parameter, start in zip(work.origins[name], window.origin, strict=True):
            if parameter:
                given[parameter] = start
    with np.errstate(all="ignore"):
        work.code.function(**given)
    return windows


def cells(some: list[Box]) -> Iterator[tuple[int, ...]]:
    """The cells of boxes."""
    for box in some:
        yield from product(*(range(*one) for one in box))
