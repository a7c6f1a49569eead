"""Tuples of floats of Python, as arrays that nests read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def unpacking(entry: Callable[..., Any], places: Sequence[int]) -> Callable[..., Any]:
    """The entry of a nest, which is given arrays for tuples.

    Args:
        entry: of a version. places: which of its values are tuples.
    """

    def run(*values: Any) -> Any:
        given = [*values]
        for at in places:
            numbers = values[at]
            if type(numbers) is not tuple or {*map(type, numbers)} != {float}:
                return NotImplemented
            given[at] = np.array(numbers, np.float64)
        return entry(*given)

    return run
