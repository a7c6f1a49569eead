"""Functions with statements on arrays in the place of calls: what stays, and why."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import looptx


def halved(x):
    x[1:] = x[:-1] * 0.5


def both(x):
    low = x[1:].min()
    return low, x * low


def tried(x):
    try:
        x[:] = x[1:]
    except ValueError:
        x[0] = 1.0


def left(x):
    x[1:] *= 0.5
    for i in range(len(x)):
        for j in range(i):
            if x[j] > 1:
                return i
            if x[j] > x[i]:
                break
        x[i] = 0.0
    return -1


def clipped(x, most):
    x[1:] *= 2.0
    for i in range(len(x)):
        if x[i] > most:
            return x[i], i
    return x.sum(), -1


def counted(x):
    x[1:] += 1.0
    while True:
        x[0] -= 1.0
        for i in range(len(x)):
            if x[i] < 0.0:
                return i


def only(x):
    x[1:] = 1.0
    for i in range(len(x)):
        if x[i] > 1:
            return 0.5


def perhaps(x):
    if x[1:].sum() > 0:
        y = x[0]
    x[:1] = 2.0
    return y


def ended(x):
    """Each condition of an end in a condition doubles what stands behind it."""
    if x[0:].sum() > 0:
        if x[0] > 0:
            return
        x[0] += 1.0
    if x[1:].sum() > 1:
        if x[0] > 1:
            return
        x[1] += 1.0
    if x[2:].sum() > 2:
        if x[0] > 2:
            return
        x[2] += 1.0
    if x[3:].sum() > 3:
        if x[0] > 3:
            return
        x[3] += 1.0
    if x[4:].sum() > 4:
        if x[0] > 4:
            return
        x[4] += 1.0
    if x[5:].sum() > 5:
        if x[0] > 5:
            return
        x[5] += 1.0
    if x[6:].sum() > 6:
        if x[0] > 6:
            return
        x[6] += 1.0
    if x[7:].sum() > 7:
        if x[0] > 7:
            return
        x[7] += 1.0
    x[:] = 2.0


def shorter(x):
    x = x[1:]
    x = x[1:]
    if x[0] > 1:
        x = x[:1]
    x[0] = 2.0


def ordered(x):
    old = np.sort(x[1:])
    x[1:] = old


def test_a_statement_that_calls_is_a_nest_of_its_own():
    @looptx.kernel(strict=True)
    def kernel(x):
        halved(x)
        return x

    assert kernel(np.arange(5.0)).tolist() == [0.0, 0.0, 0.5, 1.0, 1.5]
    assert "1 native call" in str(kernel.report())


def test_what_is_made_behind_loops_is_made_by_numpy():
    @looptx.kernel
    def kernel(x):
        low, y = both(x)
        for i in range(len(x)):
            halved(x)
        return low, y

    low, y = kernel(np.arange(5.0))
    assert (low, y.tolist()) == (1.0, [0.0, 1.0, 2.0, 3.0, 4.0])
    assert "1 native call" in str(kernel.report())


def test_what_follows_a_loop_that_returns_runs_where_it_does_not():
    def kernel(A, out, most):
        for i in range(A.shape[0]):
            value, at = clipped(A[i], most)
            out[i] = value * 2.0 + at - counted(A[i])

    for most in (0.5, 5.0, 100.0):
        left = []
        for function in (kernel, looptx.kernel(kernel, strict=True)):
            A, out = np.arange(35.0).reshape(7, 5), np.zeros(7)
            function(A, out, most)
            left.append((A.tolist(), out.tolist()))
        assert left[0] == left[1]


def test_a_loop_that_returns_gives_none_where_it_does_not():
    def kernel(A):
        for i in range(A.shape[0]):
            A[i, 0] = only(A[i])

    for function in (kernel, looptx.kernel(kernel)):
        A = np.full((2, 3), 0.25)
        A[1, 0] = 2.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(A)
        assert np.isnan(A[0, 0]) and A[1].tolist() == [0.5, 1.0, 1.0]


@pytest.mark.parametrize(
    ("called", "why"),
    [
        (tried, "`tried` catches exceptions"),
        (left, "`left` returns out of a loop in a loop, and breaks out of it"),
        (ended, "`ended` has too many statements"),
        (shorter, "the array `x` is assigned as a whole"),
        (perhaps, "`perhaps` may read `y` before it is assigned"),
    ],
)
def test_why_a_call_stays_is_told(called, why):
    def kernel(A):
        for i in range(A.shape[0]):
            A[i, 0] = 1.0
            called(A[i])

    with pytest.raises(looptx.LooptxError, match=why):
        looptx.kernel(kernel, strict=True)(np.ones((3, 4)))


def test_variables_are_those_of_each_call():
    def kernel(A, out):
        for i in range(A.shape[0]):
            out[i] = perhaps(A[i])

    A = np.array([[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]])
    for function in (kernel, looptx.kernel(kernel)):
        given, out = A.copy(), np.zeros(3)
        with warnings.catch_warnings(), pytest.raises(UnboundLocalError):
            warnings.simplefilter("ignore")
            function(given, out)
        assert out.tolist() == [1.0, 0.0, 0.0]
        assert given.tolist() == [[2.0, 2.0], [2.0, -4.0], [5.0, 6.0]]


def test_names_are_told_as_they_are_written():
    @looptx.kernel
    def kernel(x):
        for _ in range(3):
            ordered(x)

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        kernel(np.ones(4))
    assert found
    assert "_looptx_" not in str(found[0].message)
    assert "_looptx_" not in str(kernel.report())


def pushed(p, c):
    q = np.hstack((p[:, :1], p[:, 1:])) * c
    return q + 1.0


def test_arrays_that_calls_give_have_the_axes_of_what_is_returned():
    def kernel(p, v, c):
        a = pushed(p, c)
        for _ in range(3):
            v += a * c / 2.0
            p += v * c
            a = pushed(p, c)
            v += a * c / 2.0

    rng = np.random.default_rng(0)
    compiled = looptx.kernel(kernel)
    for n in (7, 1, 0, 13):
        given = [rng.random((n, 3)), rng.random((n, 3)), 1.5]
        again = [given[0].copy(), given[1].copy(), 1.5]
        kernel(*given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled(*again)
        for one, two in zip(given[:2], again[:2], strict=True):
            assert one.tobytes() == two.tobytes()
    calls = [nest.calls for nest in compiled.report().nests]
    assert sum(count == 12 for count in calls) == 3


@pytest.mark.filterwarnings("ignore:looptx")
def test_names_that_parts_get_are_told_without_what_tells_them_apart():
    @looptx.kernel
    def kernel(x, p):
        s = 0.0
        for i in range(len(p) - 1):
            for a, b in zip(x[p[i] : p[i + 1]], x[p[i] + 1 :], strict=False):
                s += a * b
        return s

    with pytest.raises(TypeError):
        kernel(np.ones(4), np.array([0.0, 2.0]))
    assert "`part_start` of a slice is no integer" in str(kernel.report())
