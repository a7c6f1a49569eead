"""Cells that tasks gave, found by where they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from looptx.cluster.work.boxes import Box
from looptx.model.records import dataclass

if TYPE_CHECKING:
    from looptx.cluster.graph.nodes import Node

FEW = 8
"""So many are looked through one after the other."""


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


class Pieces:
    """Pieces of one array; their numbers are theirs until some are replaced.

    Args:
        ranks: how many axes the array has.
    """

    def __init__(self, ranks: int) -> None:
        self._all: list[Piece] = []
        # The first cell along each axis, and the one behind the last, of each piece.
        self._ends = np.zeros((2 * FEW, 2, ranks), np.int64)

    def __iter__(self) -> Iterator[Piece]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, at: int) -> Piece:
        return self._all[at]

    def near(self, boxes: Sequence[Box]) -> Sequence[int]:
        """The numbers of pieces that may meet some boxes, of which there are any."""
        count, ranks = len(self._all), self._ends.shape[2]
        if count < FEW or not ranks:
            return range(count)
        low = [min(box[at][0] for box in boxes) for at in range(ranks)]
        high = [max(box[at][1] for box in boxes) for at in range(ranks)]
        ends = self._ends[:count]
        near = (ends[:, 0] < high) & (ends[:, 1] > low)
        found: list[int] = np.flatnonzero(near.all(axis=1)).tolist()
        return found

    def replace(self, gone: Iterable[int], new: Iterable[Piece]) -> None:
        """Put some pieces in the place of others.

        Args:
            gone: the numbers of the others. new: the pieces.
        """
        free = sorted(gone)
        for piece in new:
            if free:
                self._put(free.pop(0), piece)
            else:
                self._all.append(piece)
                self._put(len(self._all) - 1, piece)
        for at in reversed(free):
            last = self._all.pop()
            if at < len(self._all):
                self._put(at, last)

    def _put(self, at: int, piece: Piece) -> None:
        """Let a number be that of a piece."""
        self._all[at] = piece
        if at >= len(self._ends):
            self._ends = np.concatenate((self._ends, np.zeros_like(self._ends)))
        if piece.box:
            low, high, _ = zip(*piece.box, strict=True)
            self._ends[at] = low, high

    def copy(self) -> Pieces:
        """The same pieces, of which others may be replaced."""
        other = Pieces(self._ends.shape[2])
        other.replace((), self._all)
        return other

    def clear(self) -> None:
        """Forget all."""
        self._all.clear()
