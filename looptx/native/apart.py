"""Whether rewritten Python may run on the arguments of a call.

The proof takes different names for different memory and sizes for Python's integers.
Native code checks that at each call; rewritten Python needs the check in front of it.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from looptx.native.reading import NestInfo

_NUMBERS = (bool, int, float, complex, np.generic)


def guarded(
    function: types.FunctionType,
    rewritten: Callable[..., Any],
    written: Callable[..., Any],
    infos: Iterable[NestInfo],
    count: Callable[[], None],
) -> Callable[..., Any]:
    """A callable that runs ``rewritten`` where its proof holds, else ``written``.

    ``count`` is called each time.
    """
    nests = tuple(infos)
    bind = inspect.signature(function).bind

    @functools.wraps(rewritten)
    def call(*args: Any, **kwargs: Any) -> Any:
        count()
        try:
            names = {**function.__globals__, **bind(*args, **kwargs).arguments}
        except TypeError:
            return written(*args, **kwargs)
        safe = all(_apart(nest, names) for nest in nests)
        return (rewritten if safe else written)(*args, **kwargs)

    return call


def _apart(nest: NestInfo, names: Mapping[str, Any]) -> bool:
    """Whether what a nest reads is plain, and what it writes is no other array."""
    values = dict(_values(nest.live_in, names))
    for name, value in values.items():
        if type(value) is np.ndarray:
            if name in nest.written and _folded(value):
                return False
        elif not isinstance(value, _NUMBERS) or isinstance(value, np.unsignedinteger):
            return False
    arrays = [name for name in values if isinstance(values[name], np.ndarray)]
    return not any(
        np.may_share_memory(values[one], values[two])
        for one, two in combinations(arrays, 2)
        if one in nest.written or two in nest.written
    )


def _values(
    wanted: Iterable[str], names: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """The values of (dotted) names; locals of the function have none yet."""
    for name in wanted:
        base, *attributes = name.split(".")
        if base in names:
            try:
                yield name, functools.reduce(getattr, attributes, names[base])
            except AttributeError:
                continue


def _folded(array: np.ndarray[Any, Any]) -> bool:
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
