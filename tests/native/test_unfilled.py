"""Arrays that a nest overwrites are not filled in front of it, or only in slices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx
from looptx.native.analysis.function import Analysis
from looptx.native.analysis.function_text import function_text

pytestmark = pytest.mark.usefixtures("rehearsed")


def cumulated(x: Any) -> Any:
    out = np.zeros(x.shape)
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
        out[i] = total / (i + 1)
    return out


def columns(A: Any) -> Any:
    n, m = A.shape
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            if i == 0:
                out[i, j] = A[i, j]
            else:
                out[i, j] = A[i, j] + out[i - 1, j]
    return out


def inside(A: Any) -> Any:
    out = np.zeros_like(A)
    for i in range(1, A.shape[0] - 1):
        for j in range(1, A.shape[1] - 2):
            out[i, j] = A[i, j] + out[i - 1, j]
    return out


def from_third(x: Any) -> Any:
    n = len(x)
    out = np.ones(n + 1)
    out[0] = 7.0
    for i in range(1, n):
        out[i + 1] = out[i] + x[i]
    return out


def table(A: Any) -> Any:
    n, m = A.shape
    out = np.full((n + 1, m + 1), np.inf)
    out[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            out[i, j] = A[i - 1, j - 1] + min(out[i - 1, j - 1], out[i - 1, j])
    return out


def edges(A: Any) -> Any:
    n, m = A.shape
    out = np.zeros((n, m))
    for i in range(n):
        out[i, 0] = -i
    for j in range(m):
        out[0, j] = -j
    for i in range(1, n):
        for j in range(1, m):
            out[i, j] = A[i, j] + out[i - 1, j - 1]
    return out


def places(x: Any) -> Any:
    out = np.full(len(x), -1, dtype=np.int32)
    for i in range(2, len(x)):
        out[i] = int(x[i] * 10)
    return out


UNFILLED: dict[Callable[..., Any], tuple[str, ...]] = {
    cumulated: (),
    columns: (),
    inside: ("-1:, :", "1:-1, -2:", "1:-1, :1", ":1, :"),
    from_third: (":2",),
    table: ("1:, :1", ":1, :"),
    edges: (":, :1", ":1, :"),
    places: (":2",),
}


def wrapped(x: Any) -> Any:
    """The cell in front of the first is the last."""
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = out[i - 1] + x[i]
    return out


def triangle(A: Any) -> Any:
    out = np.zeros_like(A)
    for i in range(A.shape[0]):
        for j in range(i):
            out[i, j] = A[i, j]
    return out


def chosen(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] < 0:
            continue
        out[i] = x[i]
    return out


def ended(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] < 0:
            break
        out[i] = x[i]
    return out


def returned(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] < 0:
            return out
        out[i] = x[i]
    return out


def scattered(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[int(abs(x[i])) % len(x)] = x[i]
    return out


def rescued(x: Any) -> Any:
    out = np.zeros(len(x))
    try:
        for i in range(len(x)):
            out[i] = 1.0 / (i - 2)
    except ZeroDivisionError:
        pass
    return out


def shared(x: Any) -> Any:
    out = np.zeros(len(x))
    other = out
    for i in range(len(x)):
        out[i] = x[i] + other[len(x) - 1 - i]
    return out


def read_before(x: Any) -> Any:
    out = np.zeros(len(x))
    total = out.sum()
    for i in range(len(x)):
        out[i] = x[i] + total
    return out


def added(x: Any) -> Any:
    out = np.zeros(len(x))
    out[0] += 1.0
    for i in range(1, len(x)):
        out[i] = x[i]
    return out


def no_type(x: Any) -> Any:
    out = np.full(len(x), 300, dtype=np.int8)
    for i in range(len(x)):
        out[i] = 5
    return out


def integers(x: Any) -> Any:
    out = np.full(len(x), 1)
    for i in range(len(x)):
        out[i] = 2.5
    return out


def like_others(x: Any) -> Any:
    """What has no type of its own has that of what fills it."""
    out = np.full(len(x), 1, like=x)
    for i in range(len(x)):
        out[i] = 2.5
    return out


def zeros(n: int) -> Any:
    out = np.zeros(n)
    return out + 1.0


class Own:
    zeros = staticmethod(zeros)


def others(x: Any) -> Any:
    out = Own.zeros(len(x))
    for i in range(1, len(x)):
        out[i] = x[i]
    return out


FILLED: tuple[Callable[..., Any], ...] = (
    wrapped,
    triangle,
    chosen,
    ended,
    returned,
    scattered,
    rescued,
    shared,
    read_before,
    added,
    no_type,
    integers,
    like_others,
    others,
)


def _given(function: Callable[..., Any], n: int) -> Any:
    """Numbers of which some are negative; 300 are so many that borders are filled."""
    matrix = "A" in function.__code__.co_varnames[:1]
    shape = (n, n) if matrix else (n * 50 if n > 250 else n,)
    # What was there before is to be seen where nothing fills it.
    junk = [np.full(np.add(shape, k), 99.0) for k in (0, 0, 1, 1)]
    del junk
    return np.random.default_rng(n).standard_normal(shape)


@pytest.mark.parametrize("function", [*UNFILLED, *FILLED], ids=lambda x: x.__name__)
def test_no_cell_has_what_was_there_before(function: Any) -> None:
    kernel = looptx.kernel(function)
    for n in (0, 1, 2, 3, 7, 13, 300):
        same(kernel, _given(function, n))


@pytest.mark.parametrize("function", [*UNFILLED, *FILLED], ids=lambda x: x.__name__)
def test_what_is_filled(function: Any) -> None:
    analysis = Analysis(function_text(function), (), {"np": "numpy"})
    bare = [one for nest in analysis.nests() for one in nest.bare]
    assert [one[1][:6] for one in bare] == ["out = "] * (function in UNFILLED)
    assert [one[3] for one in bare] == [
        UNFILLED[x] for x in (function,) if x in UNFILLED
    ]


@pytest.mark.filterwarnings("ignore:looptx")
def test_masks_are_left_as_numpy_sets_them() -> None:
    A = np.ma.masked_array(np.ones((120, 120)), np.eye(120, dtype=bool))
    ours, expected = looptx.kernel(inside)(A), inside(A)
    assert ours.data.tobytes() == expected.data.tobytes()
    assert (np.ma.getmaskarray(ours) == np.ma.getmaskarray(expected)).all()


@pytest.mark.filterwarnings("ignore:looptx")
def test_texts_are_filled_with_empty_ones() -> None:
    @looptx.kernel
    def copied(A: Any) -> Any:
        out = np.zeros_like(A)
        for i in range(1, A.shape[0] - 1):
            out[i] = A[i]
        return out

    A = np.full(20000, "abcd")
    assert (copied(A) == copied.py_func(A)).all()


def test_a_directive_leaves_the_allocation_alone() -> None:
    analysis = Analysis(function_text(columns), ("reorder j i",), {"np": "numpy"})
    assert [nest.bare for nest in analysis.nests()] == [()]


def popped(o: Any) -> Any:
    out = np.ones(len(o))
    o.pop()
    for i in range(len(o)):
        out[i] = o[i]
    return out


def shortened(o: Any) -> Any:
    p, n = o, len(o)
    out = np.ones(n)
    del p[-1]
    for i in range(len(o)):
        out[i] = o[i]
    return out


def counted(o: Any) -> Any:
    out = np.ones(COUNT)
    step()
    for i in range(COUNT):
        out[i] = o[i]
    return out


COUNT = 20000


def step() -> None:
    global COUNT
    COUNT -= 1


@pytest.mark.parametrize("function", [popped, shortened, counted])
def test_sizes_that_change_leave_cells_as_they_were_filled(function: Any) -> None:
    global COUNT
    empty, np.empty = np.empty, lambda *given: np.full(*given, 99.0)
    try:
        COUNT = 20000
        out = looptx.kernel(function)([0.5] * 20000)
    finally:
        np.empty = empty
    assert (out == [*[0.5] * 19999, 1.0]).all()
