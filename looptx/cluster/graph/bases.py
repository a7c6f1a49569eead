"""What arrays begin with, before a task writes into them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from looptx.cluster.graph.inputs import Inputs
from looptx.cluster.graph.nodes import Node
from looptx.cluster.graph.stores import Piece, Store
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


class Held:
    """An array that a process holds as the beginning of a store.

    Each worker is given what its tasks read, once.

    Args:
        array: the array, which does not change as long as tasks are made.
    """

    def __init__(self, array: Array) -> None:
        self.array = array
        self._given: dict[int, list[Piece]] = {}

    def give(
        self, inputs: Inputs, window: Window, store: Store, boxes: Sequence[Box]
    ) -> None:
        """Let a task have cells; what its worker has got already stays there.

        Args:
            inputs, window, store, boxes: as of ``Base``.
        """
        worker = inputs.node.worker
        known = self._given.setdefault(worker, [])
        given = Store("", store.shape, store.dtype)
        given.pieces = known
        found, left = given.find(boxes)
        for piece, own in found:
            inputs.take(window.sources, piece, own, 0)
        if not left:
            return
        graph = inputs.graph
        origin = (0,) * len(store.shape)
        arrays = [self.array[slices(box, origin)] for box in left]
        key = graph.key(f"{store.label}.in", inputs.node.key[2:])
        node = Node(key, worker, cells.here, (arrays,))
        node.size = volume(left) * store.itemsize
        graph.add(node)
        graph.traffic.sent += node.size
        for number, box in enumerate(left):
            piece = Piece(box, node, number, box)
            known.append(piece)
            inputs.take(window.sources, piece, [box], 0)

    def held(self) -> Iterator[Piece]:
        """What workers were given, and may be asked for again."""
        for pieces in self._given.values():
            yield from pieces


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
