"""Arrays that tell of every access."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Told = Callable[[Any, bool, Any], object]
"""What is told of an access: the subscripts, whether it writes, and the value."""


class Recorded:
    """What stands for an array.

    Args:
        values: its cells, by subscripts.
        told: called with every access.
    """

    def __init__(self, values: Any, told: Told) -> None:
        self.values = values
        self._told = told

    def __getattr__(self, name: str) -> Any:
        return getattr(self.values, name)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> Any:
        found = self.values[key]
        self._told(key, False, found)
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        self._told(key, True, value)
        self.values[key] = value

    def __mul__(self, other: Any) -> Any:
        return self[...] * other


class Endless(dict[Any, Any]):
    """Cells for any subscripts: what was never written follows from these."""

    def __init__(self, value: Callable[[Any], Any] = lambda _: 1) -> None:
        self._value = value

    def __missing__(self, key: Any) -> Any:
        return self._value(key)


def logged(name: str, log: list[Any]) -> Recorded:
    """An endless array whose accesses are put into a log, with the numbers."""

    def told(key: Any, write: bool, number: int) -> None:
        log.append((name, key, number) if write else ("read", name, key, number))

    return Recorded(Endless(lambda key: hash((name, key)) % 1000), told)


def written(called: Callable[[Recorded], object]) -> list[Any]:
    """Where a function of an array writes it, in order."""
    points: list[Any] = []
    called(Recorded(Endless(), lambda key, *_: points.append(key)))
    return points


def places(key: Any) -> tuple[Any, ...]:
    """Subscripts, of which one may stand alone."""
    return key if isinstance(key, tuple) else (key,)


def cells(key: Any, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The cells of an array that subscripts mean."""
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    found = np.atleast_1d(np.asarray(numbers[key])).ravel()
    return [tuple(int(x) for x in np.unravel_index(cell, shape)) for cell in found]
