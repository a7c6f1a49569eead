"""Reductions in native code: in threads, in lanes, in a cell; of any type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.calls import same
from kit.together import compiled

import looptx


@pytest.fixture(scope="module", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Most kernels, compiled together for what they are called with."""
    compiled(_calls(), tmp_path_factory.mktemp("reductions"))


def _calls() -> Iterator[tuple[Any, ...]]:
    """Kernels, with arguments of the types that tests call them with."""
    few, bools, floats = np.zeros(2, np.uint8), np.zeros(2, bool), np.ones(2)
    yield from ((one, few, few) for one in (converted, converted_from_one_of_python))
    yield gathered, floats, np.zeros(2, "int8")
    yield gathered, floats, np.zeros(2, "int64")
    yield gathered, np.zeros(2, np.uint64), np.zeros(2, np.uint64)
    yield columns, bools, bools[None], 1, 2
    yield from ((one, bools, bools) for one in (least, most, greatest))
    yield from ((one, bools, bools, bools) for one in (unlike, either, chosen, blocks))
    yield from ((one, floats) for one in (least_of_numpy, least_of_python))
    minima = both_minima_in_a_cell, both_minima_in_lanes
    yield from ((one, floats, floats, floats) for one in minima)
    for one in (into_one_cell, into_one_cell_in_lanes):
        yield one, np.ones(1, "float32"), floats
        yield one, floats, np.ones(2, "int64")
        yield one, np.ones(1, "int64"), bools
    yield of_halves, floats, floats


@looptx.kernel
def smallest(A, n):
    for i in range(3):
        s = 1
        for j in range(1, n):
            s = min(A[i, j], s)
        A[i + i, -1] += s


@looptx.kernel("parallel i", "reassociate A")
def least(A, B):
    for i in range(B.shape[0]):
        A[0] = min(A[0], B[i])


@looptx.kernel("parallel i", "reassociate A")
def most(A, B):
    for i in range(B.shape[0]):
        A[0] = max(A[0], B[i])


@looptx.kernel("vectorize i", "reassociate A")
def greatest(A, B):
    for i in range(B.shape[0]):
        A[0] = max(A[0], B[i])


@looptx.kernel("reassociate A", "parallel i")
def columns(A, B, n, m):
    for i in range(n):
        for j in range(m):
            A[j] &= B[i, j]


@looptx.kernel("reassociate A", "parallel i")
def gathered(A, B):
    for i in range(B.shape[0]):
        A[0] += B[i]


@looptx.kernel("vectorize i 8")
def converted(A, B):
    s = np.int32(0)
    for i in range(len(A)):
        s += np.int32(A[i]) * np.int32(B[i])
    return s


@looptx.kernel("parallel i")
def converted_from_one_of_python(A, B):
    s = 0
    for i in range(len(A)):
        s += np.uint8(A[i])
    return s, type(s)


@pytest.mark.parametrize("size", [0, 1, 7, 37])
@pytest.mark.parametrize("kernel", [converted, converted_from_one_of_python])
def test_sums_of_what_is_made_an_integer_need_no_permission(kernel, size) -> None:
    A = np.arange(size, dtype=np.uint8) * 5
    same(kernel, A, A[::-1].copy(), native=1)


@pytest.mark.filterwarnings("ignore:looptx")
@pytest.mark.parametrize("term", ["int8", "int64"])
def test_sums_that_numpy_makes_floats_are_not_taken_apart(term: str) -> None:
    """A partial sum below zero is none of uint64; a float is, up to rounding."""
    B = np.array([-1] * 97, term)
    same(gathered, np.array([1000], np.uint64), B, native=0)
    same(gathered, np.array([1000.0]), B, native=1)
    same(gathered, np.array([1000], np.uint64), -B.astype(np.uint64), native=1)


def test_bits_of_bytes_that_are_true() -> None:
    A = np.array([2, 1, 0, 255], np.uint8).view(bool)
    B = np.array([[8, 1, 4, 0], [1, 2, 4, 1]], np.uint8) != 0
    same(columns, A, B, 2, 4, native=1)


@pytest.mark.usefixtures("optimised")
def test_a_minimum_stored_by_a_short_outer_loop() -> None:
    """With value-range propagation, gcc 12 gets it wrong."""
    for n in range(7):
        same(smallest, np.arange(36).reshape(6, 6) - 10, n)


@pytest.mark.parametrize("kernel", [least, greatest], ids=["least", "greatest"])
@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("other", [0, 1, 4])
def test_the_least_of_any_bytes_is_a_bool(kernel, first, other) -> None:
    given = (np.array([value], np.uint8).view(bool) for value in (first, other))
    A, B = (np.repeat(array, 40) for array in given)
    same(kernel, A, B)
    assert kernel.report().nests[0].calls
    most(A, B)
    assert A.tolist() == [bool(first or other)] + [bool(first)] * 39
    assert set(A[1:].view(np.uint8)) == {first}


@looptx.kernel("reassociate A", "parallel i")
def unlike(A, B, C):
    for i in range(B.shape[0]):
        A[0] ^= B[i]


@looptx.kernel("reassociate A", "parallel i")
def either(A, B, C):
    for i in range(B.shape[0]):
        A[i % 3] |= B[i]


@looptx.kernel("reassociate A", "vectorize i")
def chosen(A, B, C):
    for i in range(B.shape[0]):
        if C[i]:
            A[0] &= B[i]


@looptx.kernel("reassociate A", "split i 8", "parallel i", "vectorize ii")
def blocks(A, B, C):
    for i in range(B.shape[0]):
        if C[i]:
            A[0] ^= B[i]


@pytest.mark.parametrize("kernel", [unlike, either, chosen, blocks])
@pytest.mark.parametrize("first", [0, 1, 2, 0xA5])
def test_a_bool_is_written_where_an_iteration_writes_it(kernel, first) -> None:
    for n in (0, 1, 2, 40):
        some = np.arange(n) % 3 == 1
        for B in (some, ~some, np.zeros(n, bool), np.ones(n, bool)):
            for C in (some, np.zeros(n, bool), np.ones(n, bool)):
                A = np.full(4, first, np.uint8)
                expected = A.copy()
                kernel(A.view(bool), B, C)
                kernel.py_func(expected.view(bool), B, C)
                assert A.tolist() == expected.tolist()
    assert kernel.report().nests[0].calls


@looptx.kernel("reassociate s", "parallel i", strict=True)
def least_of_numpy(x):
    s = 1
    for i in range(x.shape[0]):
        s = np.minimum(s, x[i])
    return s


@looptx.kernel("reassociate s", "parallel i", strict=True)
def least_of_python(x):
    s = 1
    for i in range(x.shape[0]):
        s = min(s, x[i])
    return s


@pytest.mark.parametrize("kernel", [least_of_numpy, least_of_python])
@pytest.mark.parametrize("values", [[], [1], [2], [0], [2, 1, 3], [1, 0]])
def test_the_least_of_equal_numbers_has_the_type_of_one(kernel, values) -> None:
    same(kernel, np.array(values, float))


@looptx.kernel("reassociate s", "parallel i", strict=True)
def both_minima(x, y):
    s = 5.0
    for i in range(x.shape[0]):
        s = np.minimum(s, x[i])
        s = min(s, y[i])
    return s


@looptx.kernel("reassociate z", "parallel i", strict=True)
def both_minima_in_a_cell(x, y, z):
    for i in range(x.shape[0]):
        z[0] = np.minimum(z[0], x[i])
        z[0] = min(z[0], y[i])


@looptx.kernel("reassociate z", "vectorize i", strict=True)
def both_minima_in_lanes(x, y, z):
    for i in range(x.shape[0]):
        z[0] = np.minimum(z[0], x[i])
        z[0] = min(z[0], y[i])


@pytest.mark.parametrize("at", [0, 8, 10])
def test_the_nan_of_one_function_is_no_less_than_a_number_of_another(at) -> None:
    x, y = np.ones(11), np.ones(11)
    x[at] = np.nan
    for kernel in (both_minima_in_a_cell, both_minima_in_lanes):
        same(kernel, x, y, np.full(1, 5.0))
        same(kernel, y, x, np.full(1, 5.0))


def test_the_type_of_the_least_of_two_functions_depends_on_the_data() -> None:
    """A loser among partial results still says whether NumPy's function ran."""
    with pytest.raises(looptx.LooptxError, match="depends on the data"):
        both_minima(np.ones(11), np.ones(11))


@looptx.kernel("reassociate x", "parallel i", strict=True)
def into_one_cell(x, y):
    for i in range(y.shape[0]):
        x[0] -= y[i]


@looptx.kernel("reassociate x", "vectorize i", strict=True)
def into_one_cell_in_lanes(x, y):
    for i in range(y.shape[0]):
        x[0] = x[0] * y[i]


@pytest.mark.parametrize("kernel", [into_one_cell, into_one_cell_in_lanes])
@pytest.mark.parametrize(
    ("cells", "terms", "words"),
    [
        (bool, "int64", r"LX504.* a reduction of"),
        (bool, "float64", r"LX212.* drops its fraction"),
    ],
)
def test_cells_that_drop_a_part_at_every_step_are_not_reduced_in_parts(
    kernel, cells, terms, words
) -> None:
    with pytest.raises(looptx.LooptxError, match=words):
        kernel(np.ones(1, cells), np.arange(5).astype(terms))


@pytest.mark.parametrize("kernel", [into_one_cell, into_one_cell_in_lanes])
@pytest.mark.parametrize(
    ("cells", "terms"), [("float32", "float64"), ("float64", "int64"), ("int64", bool)]
)
def test_cells_that_only_round_are(kernel, cells, terms) -> None:
    same(kernel, np.ones(1, cells), np.arange(5).astype(terms))


@looptx.kernel("reassociate x", "vectorize i", strict=True)
def of_halves(x, y):
    for i in range(y.shape[0]):
        x[0] += y[i] * 0.5


@pytest.mark.parametrize("size", [0, 1, 7, 37])
def test_fractions_are_reduced_in_parts_where_cells_hold_them(size) -> None:
    """No type is taken for that of the cells before the call."""
    same(of_halves, np.ones(1), np.arange(float(size)))


def test_fractions_are_refused_where_cells_drop_them() -> None:
    with pytest.raises(looptx.LooptxError, match=r"LX212[^`]*`x` drops its fraction"):
        of_halves(np.ones(1, "int64"), np.arange(5.0))


@looptx.kernel
def lowered(out, n):
    for i in range(n):
        out[i] = out.min() - 1.0


@pytest.mark.filterwarnings("ignore:looptx")
@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_a_method_of_an_array_that_the_nest_changes_is_called_each_time(n) -> None:
    ours, theirs = np.arange(7.0), np.arange(7.0)
    before = lowered.report().nests[0].calls if lowered.report().nests else 0
    lowered(ours, n)
    lowered.py_func(theirs, n)
    assert np.array_equal(ours, theirs)
    assert lowered.report().nests[0].calls == before + 1
    with pytest.raises(ValueError, match="zero-size array"):
        lowered(np.zeros(0), 1)
