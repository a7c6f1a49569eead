"""The check in front of rewritten Python: arrays are disjoint, numbers are plain.

The proof assumes that different names are different memory and that sizes are Python's
integers. Native code checks both on entry; rewritten Python is guarded by this.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from looptx.native.analysis.nest_info import NestInfo

_NUMBERS = (bool, int, float, complex, np.generic)


class AliasGuard:
    """Chooses between a nest and its rewritten loops: are the arrays disjoint?

    Args:
        info: the nest.
        rewritten: whether it has rewritten loops at all.
        count: called each time.
    """

    def __init__(
        self, info: NestInfo, rewritten: bool, count: Callable[[], None]
    ) -> None:
        self._info = info
        self._rewritten = rewritten
        self._count = count

    def __call__(self, *values: Any) -> tuple[Any, ...] | None:
        """An empty result where the rewritten loops may run, else None."""
        self._count()
        return () if self._rewritten and disjoint(self._info, values) else None

    def unready(self) -> None:
        """A value the nest reads is missing: the loops run as written."""
        self._count()


def disjoint(nest: NestInfo, values: tuple[Any, ...]) -> bool:
    """Whether the values are plain and no array written by a nest overlaps another.

    Args:
        nest: its names.
        values: of ``nest.live_in``, in that order.
    """
    named = dict(zip(nest.live_in, values, strict=True))
    for name, value in named.items():
        if type(value) is np.ndarray:
            if name in nest.written and _overlaps_itself(value):
                return False
        elif not isinstance(value, _NUMBERS) or isinstance(value, np.unsignedinteger):
            return False
    arrays = [name for name in named if isinstance(named[name], np.ndarray)]
    return not any(
        np.may_share_memory(named[one], named[two])
        for one, two in combinations(arrays, 2)
        if one in nest.written or two in nest.written
    )


def _overlaps_itself(array: np.ndarray[Any, Any]) -> bool:
    """Whether two positions of an array may be the same memory."""
    reach = array.itemsize
    for stride, count in sorted(
        (abs(stride), count)
        for stride, count in zip(array.strides, array.shape, strict=True)
        if count > 1
    ):
        if stride < reach:
            return array.size > 0
        reach += (count - 1) * stride
    return False
