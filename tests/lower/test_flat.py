"""Rows and columns of arrays of one axis: ``a[i * w + j]``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.calls import same
from kit.together import compiled

import looptx
from looptx.errors import LooptxError

pytestmark = pytest.mark.usefixtures("rehearsed")


@looptx.kernel
def plain(a, b, h, w, c):
    for i in range(h):
        for j in range(w):
            b[i * w + j] = a[i * w + j] * 2.0


@looptx.kernel
def rows(a, b, h, w, c):
    # looptx: parallel i | vectorize j
    for i in range(h):
        for j in range(w):
            k = i * w + j
            b[k] = a[k] - a[w - 1 - j]


@looptx.kernel
def stencil(a, b, h, w, c):
    # looptx: tile i=2 j=3 | parallel i
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            b[i * w + j] = (
                a[(i - 1) * w + j]
                + a[i * w + j - 1]
                + a[i * w + j + 1]
                + a[(i + 1) * w + j]
            )


@looptx.kernel
def columns(a, b, h, w, c):
    # looptx: reorder j i | parallel j
    for i in range(1, h):
        for j in range(w):
            a[i * w + j] += a[(i - 1) * w + j]


@looptx.kernel
def planes(a, b, h, w, c):
    # looptx: collapse i j as q | parallel q
    for i in range(h):
        for j in range(w):
            for k in range(c):
                b[(i * w + j) * c + k] = a[i * w * c + j * c + k] + c


@looptx.kernel
def padded(a, b, h, w, c):
    # looptx: parallel i
    for i in range(h):
        for j in range(w + 1):
            if a[i * (w + 1) + j] > 0.5:
                b[(w + 1) * i + j] = 1.0


@looptx.kernel
def triangle(a, b, h, w, c):
    # looptx: reorder j i | parallel j
    for i in range(w):
        for j in range(i + 1):
            b[i * w + j] += a[j * w + i]


@looptx.kernel
def sums(a, b, h, w, c):
    for i in range(h):
        s = 0.0
        for j in range(w):
            s += a[i * w + j] * a[j]
        b[i] = s


@looptx.kernel
def blocks(a, b, h, w, c):
    out = np.zeros((h * w, w * c))
    # looptx: parallel i
    for i in range(h):
        for j in range(w):
            for k in range(c):
                out[i * w + j, j * c + k] = a[j] * b[k]
    return out


@looptx.kernel
def neighbours(a, b, h, w, c):
    # looptx: parallel i | vectorize j
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            k = i * w + j
            b[k] = a[k - w] + a[k - 1] + a[k + 1] + a[k + w]


@looptx.kernel
def two_places(a, b, h, w, c):
    for i in range(2, h - 2):
        t = i + 1
        if a[t] > 0.3:
            b[t] = a[t] + b[i * h + 1]


@looptx.kernel
def from_the_end(a, b, h, w, c):
    for i in range(h):
        for j in range(w):
            b[i - 2] = a[i * w + j] + b[i * w + j]


@looptx.kernel
def grey(a, b, h, w, c):
    # looptx: parallel i
    for i in range(h):
        for j in range(w):
            b[i * w + j] = a[(i * w + j) * 3] + a[3 * (i * w + j) + 1]
            b[i * w + j] += a[i * w * 3 + j * 3 + 2]


@looptx.kernel
def channels(a, b, h, w, c):
    # looptx: reorder j i k | parallel j
    for i in range(1, h):
        for j in range(w):
            at = (i * w + j) * 2
            for k in range(2):
                a[at + k] += a[at + k - 2 * w] * b[j]


@looptx.kernel
def complex_pairs(a, b, h, w, c):
    # looptx: parallel i
    for i in range(h):
        for j in range(2 * w):
            a[i * 2 * w + j] += b[2 * i * w + j] + b[i * (2 * w) + 2 * w - 1 - j]


@looptx.kernel("compute_at p q.i sliding")
def passed(a, b, h, w, c):
    t = np.zeros(3 * h * w if h * w > 0 else 0)
    # looptx: nest p
    for i in range(h):
        for j in range(w):
            t[i * w + j] = a[i * w + j] * 0.5
    # looptx: nest q
    for i in range(1, h - 1):
        for j in range(w):
            b[i * w + j] = t[(i - 1) * w + j] + t[i * w + j + w]


@looptx.kernel("compute_at p q.i")
def again(a, b, h, w, c):
    # looptx: nest p
    for i in range(h):
        for j in range(w):
            a[i * w + j] = 2.0 * i + j
    # looptx: nest q
    for i in range(1, h):
        for j in range(1, w):
            at = i * w + j
            b[at] = a[at] + a[at - w - 1]


@looptx.kernel("cache_write a at p.k")
def kept(a, b, h, w, c):
    # looptx: nest p
    for i in range(h):
        for j in range(w):
            a[i * w + j] += b[j]
        for k in range(w):
            for m in range(c):
                a[k] = a[k] * 0.5 + b[m]


KERNELS = (
    *(plain, rows, stencil, columns, planes, grey, channels, complex_pairs),
    *(padded, triangle, sums, neighbours, blocks, two_places, from_the_end),
    *(passed, again, kept),
)

SIZES = ((0, 3, 2), (1, 1, 1), (3, 0, 2), (5, 7, 3), (7, 5, 2), (13, 8, 1), (2, -3, 2))


@pytest.fixture(scope="module", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All kernels, compiled together for what they are called with."""
    a = np.ones(40)
    given = [(kernel, a, a.copy(), 3, 4, 2) for kernel in KERNELS]
    compiled(given, tmp_path_factory.mktemp("flat"))


def _lengths(h: int, w: int, c: int) -> Iterator[int]:
    """Some that are enough, and some that are not."""
    whole = max(h, w, 0) * max(w + 1, 0) * max(c, 3)
    yield from {whole + 40, whole, max(h * w, 0), max(h * w - 1, 0), 0}


@pytest.mark.parametrize(("h", "w", "c"), SIZES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_results_are_those_of_the_loop_as_written(
    kernel: Any, h: int, w: int, c: int
) -> None:
    rng = np.random.default_rng(h)
    for n in _lengths(h, w, c):
        same(kernel, rng.random(n), rng.random(n), h, w, c)


@pytest.mark.parametrize("kernel", [x for x in KERNELS if x is not from_the_end])
def test_no_subscript_is_looked_at_where_the_entry_sees_that_all_are_inside(
    kernel: Any,
) -> None:
    a = np.ones(400)
    same(kernel, a, a.copy(), 5, 7, 3, native=1)
    text = kernel.inspect_cython()
    own = text[text.rindex("_run(") :].partition("lx_take")[0]
    assert "lx_at(" not in own
    assert "lx_at(" in text


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("width", [np.int8, np.uint8, np.int16, np.int64])
def test_places_are_not_those_of_small_integers_that_wrap_around(width: Any) -> None:
    a = np.arange(400.0)
    for h, w in ((20, 12), (12, 11), (2, 100), (5, 7)):
        same(plain, a, a.copy(), h, width(w), 1)
        same(rows, a, a.copy(), h, width(w), 1)


def test_rows_are_vectors() -> None:
    rows(np.ones(400), np.ones(400), 5, 7, 3)
    assert "in vectors of" in str(rows.report())
    assert "lx_lanes" not in rows.inspect_cython().rpartition("_run(")[2]


def test_sums_of_rows_stand_in_lanes_though_nobody_asked_for_it() -> None:
    sums(np.ones(400), np.ones(400), 5, 7, 3)
    assert "in vectors of" in str(sums.report())


def test_what_is_too_short_raises_where_python_does() -> None:
    a, b = np.ones(100), np.ones(34)
    assert "IndexError" in same(stencil, b, a, 7, 6, 1)
    assert "IndexError" in same(plain, a, b, 5, 7, 1)


def test_iterations_that_move_are_those_that_rows_need() -> None:
    text = passed.inspect_python()
    assert "            t[(i + 1) * w + j] = a[(i + 1) * w + j] * 0.5\n" in text
    assert "for i2" not in text


def crossing(a, h, w):
    for i in range(h):
        for j in range(w + 1):
            a[i * w + j] = 1.0


def upward(a, h, w):
    for i in range(1, h):
        for j in range(w):
            a[i * w + j] = a[(i - 1) * w + j]


def wrapping(a, h, w):
    for i in range(h):
        for j in range(w):
            a[(i - 1) * w + j] = 1.0


def strided(a, h, w):
    for i in range(h):
        a[i * w] = 1.0


@pytest.mark.parametrize(
    ("function", "code", "said"),
    [
        (crossing, "LX203", "a subscript of a is not affine"),
        (upward, "LX202", "at h=3, w=1: write a[1] at (i=1, j=0) and read a[1]"),
        (wrapping, "LX203", "a subscript of a is not affine"),
        (strided, "LX203", "a subscript of a is not affine"),
    ],
)
def test_what_is_not_so_is_refused(function: Any, code: str, said: str) -> None:
    with pytest.raises(LooptxError) as caught:
        looptx.kernel("parallel i")(function).inspect_python()
    assert caught.value.code == code
    assert said in str(caught.value)


@looptx.kernel
def rows_of_data(m, v, p, q, h, w):
    for i in range(h):
        for j in range(w):
            m[p[i]][q[j]] = m[0, i * w + j] + 1.0


@looptx.kernel
def beyond(m, v, p, q, h, w):
    for i in range(h):
        for j in range(w):
            v[j] = m[p[i]][q[j] * 50] + m[0, i * w + j] + m[1, i * w + w - 1 - j]


@looptx.kernel
def whole_rows(m, v, p, q, h, w):
    for i in range(h):
        for j in range(w):
            k = i * w + j
            m[0, k] = m[1].max() + k


@pytest.mark.parametrize("kernel", [rows_of_data, beyond, whole_rows])
def test_rows_may_be_used_at_other_places(kernel: Any) -> None:
    """Their places were taken for those that digits tell, unchecked."""
    p, q = np.array([1, 2, 0, 1, 2]), np.array([3, 0, 25, 1, 9, 2, 4])
    for h, w in ((1, 1), (5, 5), (3, 7)):
        m = np.arange(81.0).reshape(3, 27)
        same(kernel, m, np.zeros(27), p, q, h, w)
        assert "LX901" not in str(kernel.report())


def shifted(a, p, h, w):
    for i in range(1, h):
        for j in range(w):
            a[i * w + j, p[j]] = a[(i - 1) * w + j, p[j] + 1]


def test_columns_that_data_choose_are_no_proof_of_a_meeting() -> None:
    with pytest.raises(LooptxError) as caught:
        looptx.kernel("parallel i")(shifted).inspect_python()
    assert caught.value.code == "LX203"
    assert "a subscript of a is not affine" in str(caught.value)
