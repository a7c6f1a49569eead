"""NumPy's functions that make arrays, for arrays of symbols."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from looptx.model.functions import FILLED, FUNCTIONS
from looptx.validation.symbols.cells import (
    MOST_MADE,
    Cells,
    TooMuch,
    Unrunnable,
)
from looptx.validation.symbols.element_types import dtype_name
from looptx.validation.symbols.table import Symbol, Table


class Makers:
    """The functions, each as NumPy declares it."""

    def __init__(self, table: Callable[[], Table]) -> None:
        self._table = table

    def known(self) -> dict[str, Callable[..., Any]]:
        """All of them by name."""
        found: dict[str, Callable[..., Any]] = {}
        for row in FUNCTIONS.values():
            if row.fill is not None and row.fill != FILLED:
                value = int(row.fill) if row.fill else None
                found[row.own] = (self._like if row.like else self._filled)(value)
        found.update(full=self.full, full_like=self.full_like, array=self.array)
        found.update(copy=lambda a, order="K", subok=False: self.array(a))
        found.update(sum=lambda a, axis=None: a.sum(axis))
        found.update(dtype=lambda dtype: np.dtype(dtype_name(dtype)))
        return found

    def _filled(self, value: Any) -> Callable[..., Any]:
        def make(
            shape: Any, dtype: Any = None, order: str = "C", *, like: Any = None
        ) -> Cells:
            _unused(like=like)
            return self._array(shape, dtype, value)

        return make

    def _like(self, value: Any) -> Callable[..., Any]:
        def make(
            a: Any = None,
            dtype: Any = None,
            order: str = "K",
            subok: bool = True,
            shape: Any = None,
            *,
            prototype: Any = None,
        ) -> Cells:
            return self._alike(
                a if prototype is None else prototype, value, dtype, shape
            )

        return make

    def _alike(self, array: Cells, value: Any, dtype: Any, shape: Any) -> Cells:
        element = (array._dtype or None) if dtype is None else dtype
        return self._array(array.shape if shape is None else shape, element, value)

    def full(
        self,
        shape: Any,
        fill_value: Any,
        dtype: Any = None,
        order: str = "C",
        *,
        like: Any = None,
    ) -> Cells:
        """An array of one value.

        Args:
            shape, fill_value, dtype, order, like: those of ``numpy.full``.
        """
        _unused(like=like)
        kind = type(getattr(fill_value, "number", fill_value))
        return self._array(shape, kind if dtype is None else dtype, fill_value)

    def full_like(
        self,
        a: Any,
        fill_value: Any,
        dtype: Any = None,
        order: str = "K",
        subok: bool = True,
        shape: Any = None,
    ) -> Cells:
        """An array of one value, shaped as another.

        Args:
            a, fill_value, dtype, order, subok, shape: those of ``numpy.full_like``.
        """
        return self._alike(a, fill_value, dtype, shape)

    def array(self, object: Any, dtype: Any = None, **options: Any) -> Cells:
        """An array of the cells or numbers given.

        Args:
            object, dtype, options: those of ``numpy.array``.
        """
        _unused(**options)
        if type(object) is Cells:
            return object.copy() if dtype is None else object.astype(dtype)
        values = np.array(object, dtype=np.dtype("object"))
        return Cells(self._table(), values, dtype_name(dtype) if dtype else "")

    def _array(self, shape: Any, dtype: Any, value: Any) -> Cells:
        """A new array; cells without a value are told apart by their subscripts."""
        table, element = self._table(), dtype_name(dtype)
        extents = shape if isinstance(shape, (tuple, list)) else (shape,)
        extents = tuple(map(_extent, extents))
        if math.prod(extents) > MOST_MADE:
            raise TooMuch
        values = np.empty(extents, dtype=object)
        if value is not None:
            values.fill(table.cast(element, value))
            return Cells(table, values, element)

        def garbage(place: tuple[int, ...]) -> Symbol:
            return table.leaf("unset", place, lambda: table.number(element, place))

        return Cells(table, values, element, garbage)


_DEFAULTS = {"copy": True, "ndmin": 0}


def _unused(**options: Any) -> None:
    """No option changes what an array holds or shares. Raises: Unrunnable."""
    for name, value in options.items():
        usual = value is None or value is _DEFAULTS.get(name)
        if name not in ("order", "subok") and not usual:
            raise Unrunnable(f"`{name}` of an array that is made")


def _extent(value: Any) -> int:
    extent = value.__index__()
    if extent < 0:
        raise ValueError("negative dimensions are not allowed")
    return int(extent)
