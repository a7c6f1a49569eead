"""Kernels that call functions that they define themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx
from looptx.cli.text import transform_text

pytestmark = pytest.mark.usefixtures("rehearsed")

SHIFT = 10.0


def shifted(v):
    return v * SHIFT


class Box:
    def __init__(self, w, k):
        self.w, self.k = w, k


@looptx.kernel
def numbers(x, y, k):
    def line(v, by=2.0):
        return v * k + by

    for i in range(x.shape[0]):
        y[i] = line(x[i])
    k = 7.0
    for i in range(x.shape[0]):
        y[i] -= line(x[i], by=k)


@looptx.kernel
def made(x, y, k):
    square = lambda v: v * v - k  # noqa: E731
    for i in range(x.shape[0]):
        y[i] = square(x[i])


@looptx.kernel
def arrays(x, y, k):
    def plus(v):
        return v + k

    def near(j):
        return x[j] * plus(x[j - 1]) + len(x) + y[j] * y.shape[0]

    for i in range(x.shape[0]):
        y[i] = near(i - 1)


@looptx.kernel
def writes(x, y, k):
    def put(j, v):
        if v > k:
            y[j] = v

    for i in range(x.shape[0]):
        put(-i - 1, x[i])


@looptx.kernel
def hidden(x, y, k):
    SHIFT = k

    def both(v):
        return shifted(v) + SHIFT

    for i in range(x.shape[0]):
        y[i] = both(x[i])


@looptx.kernel
def objects(x, y, k):
    box = Box(x, k)

    def part(j):
        return box.w[j] + box.k

    for i in range(x.shape[0]):
        y[i] = part(i)


@looptx.kernel
def too_far(x, y, k):
    def behind(j):
        return x[j + 1]

    for i in range(x.shape[0]):
        y[i] = behind(i)


@looptx.kernel
def late(x, y, k):
    for i in range(x.shape[0]):
        y[i] = own(x[i])  # noqa: F821

    def own(v):
        return v


@looptx.kernel
def unknown(x, y, k):
    def own(v):
        return v * x[0]

    for i in range(x.shape[0]):
        y[i] = own(x[i], x=y)


@looptx.kernel
def counted(x, y, k):
    def own():
        return x[i]

    for i in range(x.shape[0]):
        y[i] = own()


@looptx.kernel
def below(x, y, k):
    def first():
        return x[0] + y[0]

    def second(v):
        return first() * v

    for i in range(x.shape[0]):
        y[i] = second(k)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
@pytest.mark.parametrize(
    "kernel", [numbers, made, arrays, writes, hidden, objects], ids=str
)
def test_they_run_natively(kernel, n) -> None:
    x = np.random.default_rng(n).random(n)
    said = same(kernel, x, np.zeros(n), 0.5)
    # What raises has not come to its end, in one worker perhaps before all others.
    assert "Error" in said or all(nest.calls for nest in kernel.report().nests)


@pytest.mark.filterwarnings("ignore:looptx")
@pytest.mark.parametrize("n", [0, 1, 7])
@pytest.mark.parametrize("kernel", [too_far, late, unknown, counted, below], ids=str)
def test_others_do_as_python_does(kernel, n) -> None:
    same(kernel, np.arange(float(n)), np.zeros(n), 0.5)


def test_what_loops_bind_is_no_part_of_them() -> None:
    text = """
# looptx: split i 4
def f(A, n):
    def own():
        return i
    for i in range(n):
        A[i] = own()
"""
    (error,) = transform_text(text, "f.py").errors
    assert error.code == "LX302"
    assert "`own` takes `i` from around it, which a loop changes" in error.message


def test_orders_are_proven() -> None:
    text = """
# looptx: reorder j i
def f(A, B, n):
    def own(i, j):
        return B[j] + {}
    for i in range(n):
        for j in range(n):
            A[i, j] = own(i, j)
"""
    assert transform_text(text.format("B[i]"), "f.py").changed
    (error,) = transform_text(text.format("A[i - 1, j + 1]"), "f.py").errors
    assert error.code == "LX201"


def share(v):
    return v.sum() / v.size


def unpacked(v):
    n, m = v.shape
    return v.sum() / (n * m)


def last(v):
    return v.sum() / v.shape[-1]


@pytest.mark.filterwarnings("ignore:looptx")
@pytest.mark.parametrize("function", [share, unpacked, last])
@pytest.mark.parametrize("ranks", [(2, 3, 4), (3, 2, 4), (4, 3)])
def test_what_functions_ask_of_a_part_hangs_on_the_axes_of_the_array(
    function: Any, ranks: tuple[int, ...]
) -> None:
    """The first call told how many there are, and later ones had as many."""

    @looptx.kernel
    def rows(A, o):
        for i in range(A.shape[0]):
            o[i] = function(A[i])

    for rank in ranks:
        same(
            rows,
            np.arange(48.0).reshape(2, 3, 4, 2)[(..., *[0] * (4 - rank))],
            np.zeros(2),
        )
