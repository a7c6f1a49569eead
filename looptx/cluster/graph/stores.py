"""Arrays as their tasks left them: who wrote each cell last.

A store is an array of the caller, one that the function makes, or a scalar. Cells that
no task wrote are those it began with. Writing never waits for readers: what they read
is what an earlier task gave, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from looptx.cluster.graph.pieces import Piece, Pieces
from looptx.cluster.work.boxes import Box, met, minus, without


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
        self.pieces = Pieces(len(self.shape))
        self.order = "C"
        self.written = False
        self.value: Any = ...

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
        for at in self.pieces.near(boxes):
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
        gone: list[int] = []
        more: list[Piece] = []
        for at in self.pieces.near(boxes):
            old = self.pieces[at]
            if any(met(old.box, box) is not None for box in boxes):
                gone.append(at)
                left = [old.box]
                for box in boxes:
                    left = [part for one in left for part in without(one, box)]
                more += (Piece(box, old.node, old.item, old.frame) for box in left)
        self.pieces.replace(gone, [*more, *pieces])
