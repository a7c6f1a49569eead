"""Moves and storage where a loop, or a part of one, never runs."""

from __future__ import annotations

import numpy as np
import pytest
from kit.carried import same

SUMS = """
def f(L: "int64[:, :]", x: "int64[:]", n: int):
    # looptx: {}
    for i in range(n):
        for j in range({}):
            x[i] += L[i, j]
"""


@pytest.mark.parametrize("stop", ["0", "i - n", "-2", "i"])
@pytest.mark.parametrize(
    "text",
    [
        "rfactor j",
        "cut j i | rfactor j#2",
        "cut j i | cache_write x at j#2",
        "cache_write x at j",
        "cache_write x",
        "cache_read L at i",
        "cache_read L at j packed",
    ],
)
def test_results(text: str, stop: str) -> None:
    cells = np.arange(49).reshape(7, 7)
    calls = [[cells, np.arange(7), n] for n in (0, 1, 2, 7)]
    same(SUMS.format(text, stop), *calls)
