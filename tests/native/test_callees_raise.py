"""Own functions that raise: their loops run natively, and leave what Python's leave."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from kit.calls import calls, same

import looptx
from native.kernels_raise import FUNCTIONS

pytestmark = pytest.mark.usefixtures("rehearsed")


def _given() -> list[tuple[np.ndarray, np.ndarray]]:
    found = [(np.arange(float(n)), np.arange(float(n))) for n in (0, 1, 2, 5, 7, 13)]
    found += [(a[::-1].copy() + 0.5, b) for a, b in found]
    found += [(np.array([4.0, 1.0, -0.0, -2.0, 9.0]), np.ones(5))]
    found += [(np.ones(5), np.array([4.0, 1.0, -0.0, np.nan, 9.0]))]
    return [*found, (np.full(3, 5.0), np.full(3, 6.0))]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda x: x.__name__)
def test_what_python_leaves(function: Any) -> None:
    kernel = looptx.kernel(function)
    for a, b in _given():
        said, before = same(kernel, a, b), calls(kernel)
        assert same(kernel, a, b) == said
        if not re.match(r"\w+Error: |-1", said):
            assert calls(kernel) == before + 1, (said, kernel.report())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda x: x.__name__)
def test_one_array_twice(function: Any) -> None:
    kernel = looptx.kernel(function)
    for a, _ in _given():
        mine, theirs = a.copy(), a.copy()
        results = []
        for called, array in ((kernel, mine), (function, theirs)):
            try:
                results.append(called(array, array))
            except Exception as error:
                results.append((type(error), str(error)))
        assert results[0] == results[1]
        assert mine.tobytes() == theirs.tobytes()


def test_what_always_raises_stays_python() -> None:
    def fails(x: float) -> float:
        raise ValueError(x)

    def calls(A: Any) -> None:
        for i in range(A.shape[0]):
            A[i] = fails(A[i])

    kernel = looptx.kernel(calls)
    with pytest.warns(RuntimeWarning, match="`fails` raises an exception"):
        kernel(np.ones(0))
    with pytest.raises(ValueError, match=r"^1.0$"):
        kernel(np.ones(1))
