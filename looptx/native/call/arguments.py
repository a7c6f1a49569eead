"""The types of values at run time, as the specialisations distinguish them."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from looptx.model.dtypes import DTYPES, PYTHON
from looptx.model.execution.leaving import EMPTY
from looptx.model.naming import DRAWN, is_flat
from looptx.model.types import HELD, ArrayType, ScalarType, Type, of_int
from looptx.native.data import Code

_ARRAYS = {np.dtype(name).type: name for name in DTYPES}
_SCALARS: dict[type, ScalarType] = {
    **{
        kind: ScalarType(PYTHON[kind.__name__], weak=True)
        for kind in (bool, int, float, complex)
    },
    **{np.dtype(name).type: ScalarType(name) for name in DTYPES},
}

_ELEMENTS = {bool: "bool", int: "int64", float: "float64"}
"""The numbers of Python that lists have where arrays do."""

_LIST = ": `np.array` makes an array of it"
_TEXT = ": `np.frombuffer(text.encode(), np.uint8)` makes an array of it"
_BYTES = ": `np.frombuffer(data, np.uint8)` makes an array of it"
_INSTEAD = {"list": _LIST, "tuple": _LIST, "str": _TEXT, "bytes": _BYTES}
"""What helps where a value is of such a type."""


class Foreign(Exception):
    """A value that native code does not take; the message says why.

    Args:
        reason: why. name: of the value, where it is known.
    """

    def __init__(self, reason: str, name: str = "") -> None:
        super().__init__(reason)
        self.name = name


def classify(value: object, written: bool) -> Type:
    """The type of a value.

    Args:
        value: what a nest reads.
        written: whether the nest writes into it.

    Raises:
        Foreign: it is neither a supported number nor a plain, aligned array of a
            supported element type in this machine's byte order.
    """
    scalar = _SCALARS.get(type(value))
    if scalar is not None:
        return of_int(value) if type(value) is int else scalar
    if type(value) is np.ndarray:
        return _array(value, written)
    if value is ...:
        raise Foreign("no plain number of its object")
    if value is NotImplemented:
        raise Foreign("no list, or one that has two names")
    if isinstance(value, Code):
        raise Foreign(str(value))
    name = type(value).__name__
    if isinstance(value, np.ndarray):
        raise Foreign(f"a subclass of ndarray ({name})")
    instead = _INSTEAD.get(name, "")
    raise Foreign(f"a value of type {name}{instead}")


def _array(value: np.ndarray[Any, Any], written: bool) -> ArrayType:
    dtype = _ARRAYS.get(value.dtype.type)
    flags = value.flags
    if dtype is None or not value.dtype.isnative:
        raise Foreign(f"an array of {value.dtype} ({value.dtype.type.__name__})")
    if not value.ndim:
        raise Foreign("an array of 0 dimensions")
    if not flags.aligned:
        raise Foreign("an array that is not aligned")
    if written and not flags.writeable:
        raise Foreign("a read-only array that is written")
    layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return ArrayType(dtype, value.ndim, layout)


def _numbers(value: object, depth: int, written: bool) -> ArrayType:
    """The type of what stands for a list or a tuple of numbers.

    Args:
        value: it. depth: how deep the numbers are.
        written: whether the nest stores some.

    Raises:
        Foreign: nothing stands for it.
    """
    level: list[Any] = [value]
    holders: list[str] = []
    for _ in range(depth):
        kind = _single(level)
        if kind not in (list, tuple, None):
            raise Foreign(f"a {holders[-1]} of values of type {kind.__name__}")
        holders.append(kind.__name__ if kind else "list")
        if len({*map(len, level)}) > 1:
            raise Foreign(f"a {holders[0]} of some that are not equally long")
        level = [*itertools.chain.from_iterable(level)]
    if written and holders[-1] == "tuple":
        raise Foreign("a tuple, into which nothing is stored")
    if not level:
        raise Foreign(f"a {holders[0]} {EMPTY}")
    types = {*map(type, level)}
    if others := sorted(one.__name__ for one in types - _ELEMENTS.keys()):
        raise Foreign(f"a {holders[-1]} of values of type {others[0]}")
    if int in types and max(abs(x) for x in level if type(x) is int) > HELD:
        raise Foreign(f"a {holders[-1]} with integers beyond 2**31")
    dtypes = (*sorted(_ELEMENTS[one] for one in types),)
    return ArrayType(dtypes[-1], depth, "C", (*holders,), dtypes)


def _single(values: Sequence[object]) -> type | None:
    """The type of all of some values; None where there are none.

    Raises:
        Foreign: they are of several.
    """
    kinds = {*map(type, values)}
    if len(kinds) > 1:
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise Foreign(f"made of values of types {names}")
    return next(iter(kinds), None)


def traits(values: Sequence[object]) -> tuple[object, ...]:
    """What the types of values depend on: equal traits, equal types.

    It costs a tenth of ``classify_all``.
    """
    return tuple(
        [
            (value.dtype, value.ndim, value.flags.num)
            if type(value) is np.ndarray
            else of_int(value)
            if type(value) is int
            else type(value)
            for value in values
        ]
    )


_DRAWN = dict(
    zip(
        DRAWN,
        (ArrayType(dtype, 1) for dtype in ("uint32", "int64", "float64")),
        strict=True,
    )
)
"""What random numbers are drawn from, see ``draws``."""


def classify_all(
    names: Sequence[str],
    values: Sequence[object],
    written: Collection[str],
    held: Mapping[str, int] = MappingProxyType({}),
) -> tuple[Type, ...]:
    """The types of what a nest reads, in order.

    Args:
        names: ``nest.live_in``.
        values: of these names.
        written: the arrays that the nest writes.
        held: the names that may be those of lists and tuples; the numbers are so deep.

    Raises:
        Foreign: the first value that native code does not take, with its name.
    """
    types: list[Type] = []
    for name, value in zip(names, values, strict=True):
        if name in _DRAWN:
            types.append(_DRAWN[name])
            continue
        if value is None and is_flat(name):
            raise Foreign(f"{name} is of no array that lies row by row", name)
        try:
            if type(value) in (list, tuple) and name in held:
                types.append(_numbers(value, held[name], name in written))
            else:
                types.append(classify(value, name in written))
        except Foreign as foreign:
            raise Foreign(f"{name} is {foreign}", name) from None
    return tuple(types)
