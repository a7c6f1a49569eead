"""A buffer of one cell is a variable in C, which holds a cell's bits of any type."""

from __future__ import annotations

import numpy as np
import pytest
from kit.calls import same

import looptx
from looptx.model.dtypes import ROWS

pytestmark = pytest.mark.usefixtures("rehearsed")


@looptx.kernel("cache_write C at i packed as one")
def doubled(A: np.ndarray, C: np.ndarray) -> None:
    for i in range(3):
        C[0, 0] = A[i] + A[i]


@pytest.mark.parametrize("dtype", [row.name for row in ROWS])
def test_a_packed_buffer_of_one_cell(dtype: str) -> None:
    given = np.array([1, 0, 1]).astype(dtype)
    same(doubled, given, np.zeros((2, 2), dtype), native=1)
