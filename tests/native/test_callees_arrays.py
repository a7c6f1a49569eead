"""Kernels whose functions read elements of arrays that they are given."""

from __future__ import annotations

import functools
import shutil

import numpy as np
import pytest
from kit.calls import calls

import looptx
from looptx.cli.text import transform_text
from looptx.errors import LooptxError

pytestmark = [
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
    ),
    pytest.mark.usefixtures("rehearsed"),
]

OFFSET = 1


def smooth(A, i):
    return (A[i - 1] + A[i] + A[i + OFFSET]) / 3


def edge(A, i, n, step=1):
    if i == 0:
        return A[0]
    before = i - step
    if i >= n - 1:
        return A[before]
    low, high = before, i + step
    return A[low] + A[high] if A[i] > 0 else A[-1]


def at(A, i):
    return A[i]


def crossed(X, i, j):
    return X[i, j] * 2 + mirrored(j=i, Y=X, i=j)


def mirrored(Y, i, j):
    return Y[i][j]


def through(A, P, i):
    return A[P[i]]


def both(A, B, i):
    x = A[i]
    x += B[i]
    return x


def wrapped(X, i, j):
    n = len(X)
    m = X.shape[1] - 1
    return X[(i + 1) % n, j] + X[n - 1 - i, m - j if j < m else 0]


def wrapping(X, Y):
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            Y[i, j] = wrapped(X, i, j)


def smoothed(A, B):
    for i in range(1, A.shape[0] - 1):
        B[i] = smooth(A, i)


def edges(A, B):
    n = A.shape[0]
    for i in range(1, n - 1):
        B[i] = edge(A, i, n) + edge(i=i, A=B, n=n)


def summed(A, B):
    for i in range(A.shape[0]):
        B[0] += at(A, i)


def added(A, B):
    for i in range(A.shape[0]):
        A[i] += at(A, i)
        B[i] = both(A, B, i) - both(i=i, B=A, A=A)


def moved(A, B):
    for i in range(A.shape[0]):
        A[i] += at(A, i - 1)


def gathered(A, P, B):
    for i in range(A.shape[0]):
        B[i] += through(A, P, i)


def bounded(A, B):
    for i in range(A.shape[0]):
        B[i] = edge(A, i, A.shape[0])


def crossing(X, Y):
    for i in range(X.shape[0]):
        for j in range(X.shape[0]):
            Y[i, j] = crossed(X, i, j)


@functools.cache
def kernel_of(function, directives):
    """A function as a kernel."""
    return looptx.kernel(*directives)(function)


def same(function, directives, *arrays, native=1):
    """Run a function as a kernel and as it is; arrays and exceptions must be equal."""
    kernel = kernel_of(function, directives)
    before = calls(kernel)
    ours = [array.copy() for array in arrays]
    theirs = [array.copy() for array in arrays]
    told = []
    for run, given in ((kernel, ours), (function, theirs)):
        try:
            run(*given)
            told.append(None)
        except IndexError as error:
            told.append(str(error))
    assert told[0] == told[1]
    for one, other in zip(ours, theirs, strict=True):
        assert one.tobytes() == other.tobytes()
    if native is not None:
        assert calls(kernel) == before + native


def numbers(n, dtype="float64"):
    made = np.random.default_rng(n).normal(size=n) * 3
    return made.astype(dtype), np.linspace(-1.0, 2.0, n).astype(dtype)


DTYPES = ("float64", "float32", "int64", "uint8")


def all_of(n, dtype):
    """Functions of this module, each with arguments of a type."""
    A, B = numbers(n, dtype)
    for function in (smoothed, edges, added, moved):
        yield function, A, B
    if n:
        yield summed, A, B
    yield gathered, A, np.arange(n)[::-1].copy(), B
    square = np.random.default_rng(n).normal(size=(n, n)).astype(dtype)
    yield crossing, square, np.zeros_like(square)
    yield wrapping, square, np.zeros_like(square)


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_are_read_natively(dtype):
    for n in (0, 1, 7, 16):
        for function, *given in all_of(n, dtype):
            same(function, (), *given)


def test_special_values_go_through():
    A = np.array([np.nan, -0.0, 0.0, np.inf, -np.inf, 5e-324, 1.0])
    for function in (smoothed, edges, moved):
        same(function, (), A, np.zeros(7))
    same(bounded, (), A, np.zeros(7), native=None)


def test_loops_around_are_scheduled_by_what_is_read():
    for n in (0, 1, 7, 16):
        square = np.random.default_rng(n).normal(size=(n, n))
        tiled = "tile i=4 j=3", "parallel i", "vectorize jj"
        same(crossing, tiled, square, np.zeros_like(square))
        same(wrapping, tiled[:2], square, np.zeros_like(square))
        same(smoothed, ("split i 4", "parallel i", "vectorize ii"), *numbers(n))
        same(added, ("parallel i",), *numbers(n))


@pytest.mark.parametrize("function", [moved, edges])
def test_what_reads_another_iteration_keeps_its_order(function):
    with pytest.raises(LooptxError) as found:
        looptx.kernel("parallel i")(function)(*numbers(5))
    assert found.value.code in ("LX202", "LX203")


def test_the_witness_is_that_of_the_element():
    with pytest.raises(LooptxError) as found:
        looptx.kernel("parallel i")(moved)(*numbers(5))
    text = str(found.value)
    assert found.value.code == "LX202"
    assert "write A[" in text and "read A[" in text


def beyond(A, B):
    for i in range(A.shape[0]):
        B[i] = at(A, i + 1)


def far(A, P, B):
    for i in range(A.shape[0]):
        B[i] = at(A, P[i])


@pytest.mark.parametrize("n", [1, 7])
def test_an_index_outside_raises_where_python_raises(n):
    A, B = numbers(n)
    same(beyond, (), A, B, native=0)
    P = np.arange(n)
    P[n // 2] = n
    same(far, (), A, P, B, native=None)
    P[n // 2] = -n - 1
    same(far, (), A, P, B, native=None)


def rowwise(A, B):
    for i in range(A.shape[0]):
        B[i] = at(A, i) + A[i, 0]


def test_a_row_is_no_number():
    A = np.arange(12.0).reshape(3, 4)
    kernel = looptx.kernel(strict=True)(rowwise)
    with pytest.raises(LooptxError, match="may read and write anything"):
        kernel(A, np.zeros((3, 4)))
    with pytest.warns(RuntimeWarning, match="anything"):
        same(rowwise, (), A, np.zeros((3, 4)), native=0)
    kernel_of.cache_clear()  # a kernel tells once why it runs as Python
    with pytest.warns(RuntimeWarning, match="not one element"):
        same(smoothed, (), np.eye(4), np.zeros((4, 4)), native=0)


def test_another_function_is_noticed(monkeypatch):
    kernel = looptx.kernel(strict=True)(smoothed)
    A, B = numbers(7)

    def check():
        ours, theirs = B.copy(), B.copy()
        kernel(A, ours)
        smoothed(A, theirs)
        assert ours.tobytes() == theirs.tobytes()

    check()
    monkeypatch.setitem(globals(), "smooth", at)
    check()
    monkeypatch.setattr(at, "__code__", (lambda A, i: A[i - 1]).__code__)
    check()
    made = eval("lambda A, i: A[i - 1]")
    monkeypatch.setattr(at, "__code__", made.__code__)
    with pytest.raises(LooptxError, match="no source"):
        check()
    monkeypatch.undo()
    monkeypatch.setitem(globals(), "OFFSET", 0)
    check()


def test_symbols_see_what_is_read():
    for function in (smoothed, edges, added, moved, summed, crossing, wrapping):
        assert looptx.kernel("split i 4")(function).validate().compared


def test_written_text_keeps_the_calls():
    text = looptx.kernel("tile i=4 j=3")(crossing).inspect_python()
    assert "Y[ii, jj] = crossed(X, ii, jj)" in text


@pytest.mark.parametrize("cell", ["A", "A[i]"])
def test_a_buffer_is_none_of_an_array_that_is_given_away(cell):
    def multiplied(A, B):
        for i in range(1, A.shape[0] - 1):
            B[i] = A[i] * smooth(A, i)

    same(multiplied, ("split i 4", "cache_write B at i"), *numbers(7))
    with pytest.raises(LooptxError) as found:
        looptx.kernel("split i 4", f"cache_read {cell} at i")(multiplied)(*numbers(7))
    assert found.value.code == "LX106"


def made(A, B):
    T = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        T[i] = at(A, i) + A[i] * i
    for i in range(A.shape[0]):
        B[i] = at(T, i)


def test_an_array_that_is_given_away_is_no_temporary():
    same(made, ("compute_at n0 n1.i",), *numbers(7))
    for directives in (("fuse n0 n1", "temp T"), ("compute_inline n0",)):
        with pytest.raises(LooptxError) as found:
            looptx.kernel(*directives)(made)(*numbers(7))
        assert found.value.code in ("LX106", "LX117")


MODULE = """\
def near(A, i, by=1):
    return A[i - by] if i > 0 else 0.0

def kernel(A: "float64[:]", B: "float64[:]"):
    # looptx: split i 4
    for i in range(A.shape[0]):
        B[i] = near(A, i)
"""


def test_functions_of_a_file_are_read():
    found = transform_text(MODULE, "m.py", validate=True)
    assert found.validated
    assert "B[ii] = near(A, ii)" in found.text


def filled(A, i, v):
    for j in range(A.shape[1]):
        A[i, j] = v


@pytest.mark.filterwarnings("ignore:looptx")
def test_what_a_view_is_given_for_is_stored_by_python_and_with_a_name_natively() -> (
    None
):
    @looptx.kernel
    def given(A):
        for i in range(A.shape[1]):
            filled(A.T, i, 1.0 * i)

    @looptx.kernel
    def named(A):
        B = A.T
        for i in range(B.shape[0]):
            filled(B, i, 1.0 * i)

    expected = np.arange(4.0) * np.ones((3, 1))
    for kernel, native in ((given, 0), (named, 1)):
        A = np.zeros((3, 4))
        kernel(A)
        assert A.tobytes() == expected.tobytes()
        (nest,) = kernel.report().nests
        assert nest.calls == native
    (failure,) = given.report().nests[0].failures
    assert "LX504" in failure and "`B = A.T`" in failure


def halved(v):
    w = v / 2
    t = 0.0
    for k in range(len(w)):
        t += w[k] * k
    return t


def above(v, w, least):
    """Other arrays than what it is given, which stays as it is."""
    v = v[w > least]
    w = w[w > least]
    if v.shape[0] < 1:
        return least
    t = 0.0
    for k in range(len(v)):
        t += v[k] - w[k]
    return t


def renewed(v, by):
    v += by
    v = v * by
    v[:1] = by
    return np.sum(v)


def combined(A, x, out):
    for i in range(len(A)):
        out[i] = halved(A[i])
        out[i] -= above(A[i], x, 0.5)


def changed(A, x, out):
    for i in range(len(A)):
        out[0] += renewed(A[:, i % 2], i)


@pytest.mark.parametrize("shape", [(0, 2), (1, 2), (4, 3), (5, 7)])
def test_what_a_function_makes_of_its_arrays_is_its_own(shape):
    for layout in "CF":
        A = np.asarray(np.random.default_rng(3).random(shape), order=layout)
        x = np.linspace(0.0, 1.0, shape[1])
        same(combined, (), A, x, np.zeros(9))
        same(combined, (), A, np.zeros(9), np.zeros(9), native=None)
        same(changed, (), A, x, np.zeros(9), native=None)
