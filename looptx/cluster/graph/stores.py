"""Arrays as their tasks left them: who wrote each cell last.

A store is an array of the caller, one that the function makes, or a scalar. Cells that
no task wrote are those it began with. Writing never waits for readers: what they read
is what an earlier task gave, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from looptx.cluster.work.boxes import Box, met, minus, without

if TYPE_CHECKING:
    from looptx.cluster.graph.nodes import Node


@dataclass(slots=True, eq=False)
class Piece:
    """Cells that one task gave.

    Attributes:
        box: the cells. node: the task.
        item, frame: where they are in what it gives, as of a ``Source``.
    """

    box: Box
    node: Node
    item: str | int
    frame: Box | None = None


class Store:
    """An array or a scalar.

    Args:
        label: what it is called in reports.
        shape: of the array. dtype: of its elements, "" of a scalar.
        base: what it begins with, a ``Base``.

    Attributes:
        order: how it lies in memory: ``C``, ``F``, or ``A`` for any other way.
        value: of a scalar, what it begins with; ``...`` where it has no value.
        written: whether a task writes into it.
    """

    def __init__(
        self, label: str, shape: Sequence[int], dtype: str, base: Any = None
    ) -> None:
        self.label = label
        self.shape = tuple(shape)
        self.dtype = dtype
        self.itemsize = np.dtype(dtype).itemsize if dtype else 8
        self.base = base
        self.pieces: list[Piece] = []
        self.order = "C"
        self.written = False
        self.value: Any = ...
        self._bounds: np.ndarray[Any, Any] | None = None

    def _near(self, boxes: Sequence[Box]) -> Iterator[int]:
        """The numbers of pieces that may meet some boxes."""
        if len(self.pieces) < 16 or not self.shape:
            yield from range(len(self.pieces))
            return
        if self._bounds is None:
            ends = [[x[:2] for x in piece.box] for piece in self.pieces]
            self._bounds = np.array(ends)
        axes = range(len(self.shape))
        low = np.array([min(box[at][0] for box in boxes) for at in axes])
        high = np.array([max(box[at][1] for box in boxes) for at in axes])
        near = (self._bounds[:, :, 0] < high) & (self._bounds[:, :, 1] > low)
        yield from map(int, np.flatnonzero(near.all(axis=1)))

    def find(
        self, boxes: Sequence[Box]
    ) -> tuple[list[tuple[Piece, list[Box]]], list[Box]]:
        """Who wrote some cells last.

        Args:
            boxes: the cells, each once.

        Returns:
            Pieces with the cells that they hold, and the cells that nobody wrote.
        """
        if not boxes:
            return [], []
        found = []
        left = list(boxes)
        for at in self._near(boxes):
            piece = self.pieces[at]
            own = [both for box in boxes if (both := met(piece.box, box)) is not None]
            if own:
                found.append((piece, own))
                left = minus(left, own)
        return found, left

    def held(self) -> Iterator[Piece]:
        """All that may be asked for later."""
        yield from self.pieces
        if hasattr(self.base, "held"):
            yield from self.base.held()

    def write(self, boxes: Sequence[Box], pieces: Iterable[Piece]) -> None:
        """Let cells be what new pieces say.

        Args:
            boxes: the cells. pieces: that hold them.
        """
        if not boxes:
            return
        self.written = True
        if getattr(self.base, "through", False):
            for piece in pieces:
                piece.node.through.append((self.base.array, piece.box, str(piece.item)))
            return
        gone: set[int] = set()
        more: list[Piece] = []
        for at in self._near(boxes):
            old = self.pieces[at]
            if any(met(old.box, box) is not None for box in boxes):
                gone.add(at)
                left = [old.box]
                for box in boxes:
                    left = [part for one in left for part in without(one, box)]
                more += (Piece(box, old.node, old.item, old.frame) for box in left)
        self.pieces = [x for at, x in enumerate(self.pieces) if at not in gone]
        self.pieces += more
        self.pieces += pieces
        self._bounds = None
