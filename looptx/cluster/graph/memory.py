"""What tasks keep in memory, where they run in the order in which they are made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np

from looptx.cluster.graph.nodes import Node
from looptx.cluster.work.boxes import volume
from looptx.cluster.work.cells import Window, Work
from looptx.model.records import dataclass, field

Place: TypeAlias = tuple[int, int]
"""A task, by its identity, and a worker that has what it gave."""


@dataclass(slots=True)
class Memory:
    """Bytes that workers hold while tasks run.

    Attributes:
        now: of each worker. peak: the most so far.
    """

    now: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    peak: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))

    def take(self, worker: int, size: int, passing: int = 0) -> None:
        """A worker holds more, and still more for a moment.

        Args:
            worker: which. size: the bytes. passing: those that it needs but does not
                keep.
        """
        self.now[worker] += size
        self.peak[worker] = max(self.peak[worker], self.now[worker] + passing)


def peaks(
    nodes: Sequence[Node], inputs: Sequence[Sequence[Node]], kept: Collection[Place]
) -> dict[int, int]:
    """The most bytes that each worker holds.

    Args:
        nodes: the tasks, in order. inputs: of each.
        kept: the tasks whose cells are wanted in the end.
    """
    homes = {
        id(node): inputs[at][home]
        for at, node in enumerate(nodes)
        for home in _homes(node)
    }
    last: dict[Place, int] = {}
    for at, (node, given) in enumerate(zip(nodes, inputs, strict=True)):
        last[id(node), node.worker] = at
        for one in given:
            last[id(one), node.worker] = at
            last[id(one), one.worker] = at
    # A window in which later tasks work is there as long as theirs.
    for at in reversed(range(len(nodes))):
        home = homes.get(id(nodes[at]))
        if home is not None:
            own = last[id(nodes[at]), nodes[at].worker]
            last[id(home), home.worker] = max(last[id(home), home.worker], own)
    ends: dict[int, list[Place]] = defaultdict(list)
    for place, at in last.items():
        ends[at].append(place)
    memory, sizes = Memory(), dict[Place, int]()
    for at, (node, given) in enumerate(zip(nodes, inputs, strict=True)):
        for one in given:
            place = id(one), node.worker
            if place not in sizes:
                sizes[place] = one.size
                memory.take(node.worker, one.size)
        size, passing = _held(node)
        sizes[id(node), node.worker] = size
        memory.take(node.worker, size, passing)
        for place in ends[at]:
            if place not in kept:
                memory.take(place[1], -sizes.pop(place))
    return dict(memory.peak)


def _homes(node: Node) -> list[int]:
    """The inputs in whose windows a task works."""
    windows = node.work.windows.values() if node.work is not None else ()
    return [one.home.number for one in windows if one.home is not None]


def _held(node: Node) -> tuple[int, int]:
    """The bytes of what a task gives, and of what it needs besides while it runs."""
    work: Work | None = node.work
    if work is None:
        return node.size, 0
    kept = passing = 0
    for name, window in work.windows.items():
        size = 0 if window.home is not None else _bytes(window)
        if name in work.written:
            kept += size
        else:
            passing += size
    return kept, passing


def _bytes(window: Window) -> int:
    return volume([window.box]) * np.dtype(window.dtype).itemsize
