"""NumPy's numbers as arguments and results: of their types, whatever held them."""

from __future__ import annotations

import pickle
import shutil
from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx

pytestmark = [
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
    ),
    pytest.mark.usefixtures("rehearsed"),
]

TYPES = (
    "bool",
    "i1",
    "u1",
    "i2",
    "u2",
    "i4",
    "u4",
    "i8",
    "u8",
    "f2",
    "f4",
    "f8",
    "c16",
)


@looptx.kernel
def doubled(a: Any, n: int) -> Any:
    s = a
    for _ in range(n):
        s = s + a
    return s


@looptx.kernel
def last(A: Any, y: Any, s: Any, c: int) -> Any:
    for i in range(A.shape[0]):
        if A[i] > c:
            s = A[i]
        elif y[i] > c:
            s = y[i]
    return s


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("dtype", TYPES)
def test_numbers_of_every_type(dtype: str) -> None:
    for value in (0, 1, 100):
        for n in (0, 1, 3):
            same(doubled, np.dtype(dtype).type(value), n, native=1)


def test_results_are_numbers_as_numpy_makes_them() -> None:
    made = doubled(np.int64(3), 2)
    assert made + 1 == 10 and hash(made) == 9 and made.dtype == np.int64
    assert pickle.loads(pickle.dumps(made)) == 9
    assert doubled(np.uint64(2**64 - 1), 0) == 2**64 - 1


@pytest.mark.parametrize("start", [0, 0.5, True, np.int8(3), np.float32(0.25)])
@pytest.mark.parametrize(("one", "two"), [("i1", "f8"), ("i4", "f8"), ("f4", "f8")])
def test_one_variable_holds_numbers_of_several_types(
    one: str, two: str, start: Any
) -> None:
    A, y = np.array([0, 1, 5, 2], one), np.array([9.5, 3, 0, 7], two)
    for c in (-1, 0, 3, 50):
        for n in (0, 1, 4):
            same(last, A[:n], y[:n], start, c)
    assert last.report().nests[0].calls > 0
