"""What tasks do with chunks of dask's arrays: take cells of some, and make new ones.

A chunk is never written: other graphs may have it as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from looptx.cluster.work.boxes import Box, sides, volume
from looptx.cluster.work.cells import Window, inside, opened
from looptx.errors import LooptxError

CODE = "LX604"
"""The error of calls with arrays of dask's that cannot be."""


def taken(label: str, frame: Box, boxes: Sequence[Box], dtype: str, chunk: Any) -> Any:
    """Some cells of a chunk: an array for each box, a view where that is most of it.

    Args:
        label: of the array. frame: the cells of the chunk, if it is what dask says.
        boxes: those that are taken. dtype: of the array. chunk: what dask computed.

    Raises:
        LooptxError: LX604, the chunk is something else.
    """
    shape = sides(frame)
    plain = isinstance(chunk, np.ndarray) and not isinstance(chunk, np.ma.MaskedArray)
    if not plain or chunk.dtype != dtype or chunk.shape != shape:
        own = f"{getattr(chunk, 'dtype', '')}{list(getattr(chunk, 'shape', ()))}"
        raise LooptxError(
            CODE,
            f"a chunk of `{label}` is a {type(chunk).__name__} of {own}, "
            f"and dask says {dtype}{list(shape)}",
            hint="what made it, `map_blocks` perhaps, has to be told what it gives",
        )
    start, step = (tuple(one[at] for one in frame) for at in (0, 2))
    found = [np.asarray(chunk)[inside(box, start, step)] for box in boxes]
    most = 2 * volume(boxes) > chunk.size
    return found if most else [one.copy() for one in found]


def made(window: Window, *inputs: Any) -> Any:
    """A chunk of a result, put together.

    Args:
        window: its cells. inputs: what tasks gave.
    """
    return opened(window, inputs)[1]


def number(name: str, given: Any) -> Any:
    """A number that a task gave.

    Args:
        name: of it. given: what the task gave.
    """
    return given[name]
