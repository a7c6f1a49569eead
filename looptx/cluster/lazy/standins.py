"""What stands for arrays and numbers that nobody has computed yet."""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

import numpy as np

from looptx.cluster.graph.pieces import Piece
from looptx.cluster.work.chunks import CODE
from looptx.errors import LooptxError, Place
from looptx.model.records import dataclass

Chunks: TypeAlias = tuple[tuple[int, ...], ...]
"""The sizes of chunks along each axis."""


class Refused(BaseException):
    """A call with arrays of dask's cannot be.

    No handler of the function's own may take it for its exception.

    Args:
        error: what the user is told.
    """

    def __init__(self, error: LooptxError) -> None:
        super().__init__(error)
        self.error = error


def refused(why: str, hint: str, place: Place | None = None) -> LooptxError:
    """The error of such a call.

    Args:
        why: it cannot be. hint: what helps. place: where.
    """
    return LooptxError(CODE, why, place, hint=hint)


@dataclass(eq=False)
class Standin:
    """An array that a function sees the shape and the type of, and no element.

    Attributes:
        shape, dtype: of the array.
        name: of the parameter that was given it; "" where the function makes it.
        source: what was given. chunks: of dask's.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    name: str = ""
    source: Any = None
    chunks: Chunks | None = None

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return prod(self.shape)

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.size * self.itemsize

    def __len__(self) -> int:
        return self.shape[0]


@dataclass(frozen=True, slots=True, eq=False)
class Later:
    """A number that tasks compute.

    Attributes:
        piece: where it will be.
    """

    piece: Piece
