"""An array of dask's as what a store begins with: tasks take cells of its chunks.

Chunks are used as they are, also where blocks are not those of tasks: each task takes
what it reads, from wherever that is. Only where tasks would read pieces of very many
chunks is the array *rechunked* to their blocks before.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise, product
from math import prod
from typing import Any

from looptx.cluster.graph.bases import Given
from looptx.cluster.graph.inputs import Inputs
from looptx.cluster.graph.nodes import Node
from looptx.cluster.graph.pieces import Piece
from looptx.cluster.graph.stores import Store
from looptx.cluster.lazy.standins import Chunks
from looptx.cluster.work import chunks
from looptx.cluster.work.boxes import Box, common, hull, volume

MOST = 64
"""A task takes cells of so many chunks at most: a block in three axes meets 27."""


class Chunked(Given):
    """An array of dask's.

    Args:
        array: the array.

    Attributes:
        used: whether tasks have taken cells of it. fitted: whether ``fit`` was asked.
    """

    def __init__(self, array: Any) -> None:
        super().__init__()
        self.array = array
        self.used = False
        self.fitted = False
        self._nodes: dict[tuple[int, ...], Node] = {}

    @property
    def sizes(self) -> Chunks:
        """The sizes of its chunks."""
        return tuple(tuple(map(int, one)) for one in self.array.chunks)

    def fit(self, touched: Sequence[Box]) -> str:
        """Rechunk it to blocks, unless its chunks fit or tasks have some already.

        Args:
            touched: for each task the hull of what it touches.

        Returns:
            What was done; "" for nothing.
        """
        self.fitted = True
        before, axes = self.sizes, range(self.array.ndim)
        starts = [_starts(one) for one in before]
        counts = [max(_met(starts[at], *box[at][:2]) for box in touched) for at in axes]
        if self.used or prod(counts) <= MOST:
            return ""
        sizes = {
            at: _apart({box[at][0] for box in touched}, self.array.shape[at])
            for at in axes
            if counts[at] > 1
        }
        self.array = self.array.rechunk(sizes)
        if self.sizes == before:
            return ""
        return f"from {_told(before)} to {_told(self.sizes)}"

    def fresh(
        self, inputs: Inputs, store: Store, boxes: Sequence[Box]
    ) -> Iterator[Piece]:
        """Tasks that take cells of chunks, where these are.

        Args:
            inputs: of the task that needs them. store: the array. boxes: the cells.
        """
        self.used = True
        graph = inputs.graph
        for index, frame in grid(self.sizes, hull(boxes)):
            own = common(boxes, [frame])
            if not own:
                continue
            key = graph.key(f"{store.label}.in", inputs.node.key[2:])
            given = store.label, frame, tuple(own), store.dtype
            chunk = self._chunk(inputs, index)
            node = Node(key, inputs.node.worker, chunks.taken, given, [chunk])
            node.size = volume(own) * store.itemsize
            graph.add(node)
            graph.traffic.sent += node.size
            for number, box in enumerate(own):
                yield Piece(box, node, number, box)

    def _chunk(self, inputs: Inputs, index: tuple[int, ...]) -> Node:
        """The task that makes a chunk, which is dask's.

        Args:
            inputs: of the task that needs it first. index: of the chunk.
        """
        known = self._nodes.get(index)
        if known is None:
            key = (self.array.name, *index)
            known = self._nodes[index] = Node(key, inputs.node.worker, elsewhere)
            inputs.graph.add(known)
        return known


def elsewhere() -> None:
    """Stands for a task of another graph."""


def grid(
    sizes: Chunks, near: Box | None = None
) -> Iterator[tuple[tuple[int, ...], Box]]:
    """The chunks of an array: the index of each, and its cells.

    Args:
        sizes: of the chunks along each axis.
        near: cells that chunks meet; None for all chunks.
    """
    along = []
    for at, one in enumerate(sizes):
        starts = _starts(one)
        first, last = 0, len(one)
        if near is not None:
            first, last = bisect_right(starts, near[at][0]) - 1, near[at][1]
            last = bisect_left(starts, last)
        along.append([(x, starts[x], starts[x] + one[x]) for x in range(first, last)])
    for found in product(*along):
        box = tuple((start, stop, 1) for _, start, stop in found)
        yield tuple(at for at, *_ in found), box


def _starts(sizes: Sequence[int]) -> list[int]:
    return [*accumulate(sizes, initial=0)][:-1]


def _met(starts: Sequence[int], low: int, high: int) -> int:
    """How many chunks a range meets."""
    return bisect_left(starts, high) - bisect_right(starts, low) + 1


def _apart(starts: set[int], size: int) -> int:
    """How far blocks are apart that begin at certain places of so many."""
    found = Counter(stop - start for start, stop in pairwise(sorted(starts)))
    return found.most_common(1)[0][0] if found else size


def _told(sizes: Chunks) -> str:
    """Sizes of chunks in short: the largest along each axis."""
    return f"({', '.join(str(max(one, default=0)) for one in sizes)})"
