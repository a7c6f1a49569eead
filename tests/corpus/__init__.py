"""Loop functions in the manner of numerical packages, by field, each with arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
Make = Callable[[int, np.random.Generator], tuple[Any, ...]]

FIELDS = (
    "audio",
    "bits",
    "distances",
    "economics",
    "finance",
    "geometry",
    "graphs",
    "grids",
    "hydrology",
    "images",
    "labels",
    "matrices",
    "particles",
    "series",
    "solvers",
    "sorting",
    "statistics",
    "strings",
    "windows",
    "plain",
)
"""The modules that hold functions."""

SIZES = (0, 1, 2, 3, 7, 13, 16)
"""What the makers of arguments are called with."""


@dataclass(frozen=True)
class Case:
    """A function and what makes its arguments for a size, out of random numbers."""

    function: Callable[..., Any]
    make: Make

    def arguments(self, size: int) -> tuple[Any, ...]:
        """Fresh arguments, the same each time."""
        return self.make(size, np.random.default_rng(size + 1))


CASES: dict[str, dict[str, Case]] = {field: {} for field in FIELDS}
"""By field and name."""


def case(make: Make) -> Callable[[F], F]:
    """Put a function into the corpus; it stays what it is.

    Args:
        make: gives its arguments for a size and a generator of random numbers.
    """

    def put(function: F) -> F:
        field = function.__module__.rpartition(".")[2]
        CASES[field][function.__name__] = Case(function, make)
        return function

    return put
