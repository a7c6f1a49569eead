"""Types of elements while symbols run: ``np.float32``, ``A.dtype``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from looptx.model.dtypes import DTYPES
from looptx.validation.symbols.table import Table


class ElementType:
    """A type of elements, and the conversion to it; else what NumPy's is.

    Args:
        table: gives where expressions are made.
        name: of the type: ``float64``.
    """

    def __init__(self, table: Callable[[], Table], name: str) -> None:
        self._table = table
        self.dtype_name = name

    def __call__(self, value: Any = 0) -> Any:
        """A value as an element of the type."""
        return self._table().cast(self.dtype_name, value)

    @property
    def type(self) -> ElementType:
        """The conversion to it."""
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(np.dtype(self.dtype_name), name)

    def __eq__(self, other: object) -> bool:
        with suppress(TypeError):
            return dtype_name(other) == self.dtype_name
        return False

    def __hash__(self) -> int:
        return hash(self.dtype_name)


def dtype_name(dtype: Any) -> str:
    """The name of a type, given in any of NumPy's ways.

    Raises:
        TypeError: it is none that a cell can have.
    """
    if dtype is None:
        return "float64"
    given = getattr(dtype, "dtype_name", dtype)
    name = str(np.dtype(given).name)
    if name not in DTYPES:
        raise TypeError(f"elements of type {name}")
    return name
