"""What arrays begin with, before a task writes into them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from looptx.cluster.graph.inputs import Inputs
from looptx.cluster.graph.nodes import Node
from looptx.cluster.graph.pieces import Piece
from looptx.cluster.graph.stores import Store
from looptx.cluster.work import cells
from looptx.cluster.work.boxes import Box, slices, volume
from looptx.cluster.work.cells import Window

if TYPE_CHECKING:
    Array: TypeAlias = np.ndarray[Any, Any]


class Base(Protocol):
    """What an array begins with."""

    def give(
        self, inputs: Inputs, window: Window, store: Store, boxes: Sequence[Box]
    ) -> None:
        """Let a window of a task begin with such cells.

        Args:
            inputs: of the task. window: of it. store: the array. boxes: the cells.
        """


class Filled:
    """One value everywhere; None for anything."""

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def give(
        self, inputs: Inputs, window: Window, store: Store, boxes: Sequence[Box]
    ) -> None:
        """Fill the window, before other cells are put there.

        Args:
            inputs, window, store, boxes: as of ``Base``.
        """
        window.fill = 0 if self.value is None else self.value


TOGETHER = 1 << 18
"""So many bytes go to a worker at a time, if some block does not need more."""


class Given:
    """Cells that each worker is given once: what its tasks read."""

    def __init__(self) -> None:
        self._given: dict[int, Store] = {}

    def fresh(
        self, inputs: Inputs, store: Store, boxes: Sequence[Box]
    ) -> Iterator[Piece]:
        """Have cells given to a worker.

        Args:
            inputs: of the task that needs them. store: the array. boxes: the cells.
        """
        raise NotImplementedError

    def give(
        self, inputs: Inputs, window: Window, store: Store, boxes: Sequence[Box]
    ) -> None:
        """Let a task have cells; what its worker has got already stays there.

        Args:
            inputs, window, store, boxes: as of ``Base``.
        """
        worker = inputs.node.worker
        given = self._given.get(worker)
        if given is None:
            given = self._given[worker] = Store("", store.shape, store.dtype)
        found, left = given.find(boxes)
        for piece, own in found:
            inputs.take(window.sources, piece, own, 0)
        if not left:
            return
        for piece in self.fresh(inputs, store, left):
            given.pieces.replace((), [piece])
            inputs.take(window.sources, piece, [piece.box], 0)

    def held(self) -> Iterator[Piece]:
        """What workers were given, and may be asked for again."""
        for given in self._given.values():
            yield from given.pieces


class Held(Given):
    """An array that a process holds as the beginning of a store.

    A worker is given cells for several tasks at a time.

    Args:
        array: the array, which does not change as long as tasks are made.
    """

    def __init__(self, array: Array) -> None:
        super().__init__()
        self.array = array
        self._last: dict[int, Node] = {}

    def fresh(
        self, inputs: Inputs, store: Store, boxes: Sequence[Box]
    ) -> Iterator[Piece]:
        """Have cells given to a worker, by the last task that does so or a new one.

        Args:
            inputs, store, boxes: as of ``Given``.
        """
        graph, origin = inputs.graph, (0,) * len(store.shape)
        worker, size = inputs.node.worker, volume(boxes) * store.itemsize
        node = self._last.get(worker)
        if node is None or node.sent or node.size + size > TOGETHER:
            key = graph.key(f"{store.label}.in", inputs.node.key[2:])
            node = self._last[worker] = Node(key, worker, cells.here, ([],))
            graph.add(node)
        node.size += size
        graph.traffic.sent += size
        (arrays,) = node.given
        for box in boxes:
            arrays.append(self.array[slices(box, origin)])
            yield Piece(box, node, len(arrays) - 1, box)


class Outside:
    """An array in a file, of which each task reads what it needs when it runs.

    Args:
        array: the array, of which boxes are got and set.
        through: whether tasks run in their order, so that what they write may be put
            there at once.
    """

    def __init__(self, array: Any, *, through: bool) -> None:
        self.array = array
        self.through = through

    def give(
        self, inputs: Inputs, window: Window, store: Store, boxes: Sequence[Box]
    ) -> None:
        """Let a task read cells.

        Args:
            inputs, window, store, boxes: as of ``Base``.
        """
        graph = inputs.graph
        key = graph.key(f"{store.label}.in", inputs.node.key[2:])
        node = Node(key, inputs.node.worker, cells.read, (self.array, [*boxes]))
        if not isinstance(self.array, np.memmap):
            node.size = volume(boxes) * store.itemsize
        graph.add(node)
        for number, box in enumerate(boxes):
            inputs.take(window.sources, Piece(box, node, number, box), [box], 0)
