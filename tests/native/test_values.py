"""Values in native code: their width in C, their types, what shares their memory."""

from __future__ import annotations

import ast
import itertools
import math
import sys
from typing import Any

import numpy as np
import pytest
from kit.calls import calls, outcome, same

import looptx
from looptx.errors import LooptxError
from looptx.lower.checks import Checks, Early
from looptx.lower.kinds import COMPLEX, FLOAT, INT, of
from looptx.lower.tree import variable
from looptx.lower.values.literals import literal
from looptx.lower.values.operators import binary
from looptx.lower.values.ufuncs import UFUNCS, UFUNCS2, ufunc
from looptx.model.expr import TRUE
from looptx.model.intervals.symbolic import TRUTH, exactly, within
from looptx.model.trees import form
from looptx.model.types import ScalarType

pytestmark = pytest.mark.usefixtures("rehearsed")


@looptx.kernel
def view(A, n):
    B = A[1:]
    for i in range(n):
        for j in range(n):
            A[i] = A[i] + B[j] * 0.5


@looptx.kernel
def apart(A, B, n):
    for i in range(n):
        for j in range(n):
            A[i] = A[i] + B[j] * 0.5


@looptx.kernel("unroll i")
def unrolled(A, B):
    for i in range(1, 4):
        B[i] = (A[i] > 0) * i * 2000000000 - i * 2000000000 * i


@looptx.kernel
def constants(A, B):
    for i in range(4000000000, 4000000003):
        j = i - 4000000000
        B[j] = A[j] + 100000 * 100000 - 2**40 + (i % 2) ** 1000000000
        B[j] += i if i != 4000000001 else -3000000000


@looptx.kernel
def clamped(A, B):
    for i in range(A.shape[0]):
        s = float(A[i] * 2.0)
        B[i] = max(0, s)


@looptx.kernel("temp T")
def temporary(A, n):
    T = np.zeros(n)
    for i in range(n):
        T[i] = A[i] * 2
        A[i] = T[i] + 1


@looptx.kernel
def row(A, places):
    for i in range(places.shape[0]):
        A[0][places[i]] = 1.0


@looptx.kernel
def histogram(H, x):
    for i in range(x.shape[0]):
        H[max(int(x[i]), -3)] += 1.0
        H[int(x[i])] += 1.0


@looptx.kernel
def overflowing(A):
    for i in range(A.shape[0]):
        A[i] = A[i] ** 300


@looptx.kernel("parallel i", "reassociate A")
def summed(A, B):
    for i in range(B.shape[0]):
        A[0] += B[i]


@pytest.mark.parametrize("n", [0, 1, 4, 5])
def test_a_cell_is_no_variable_where_a_view_of_its_array_is_read(n: int) -> None:
    same(view, np.arange(1.0, 8.0), n, native=1)
    same(apart, np.arange(1.0, 8.0), np.arange(7.0), n, native=1)
    texts = [kernel.inspect_cython() for kernel in (view, apart)]
    assert ["= A[i]\n" in text for text in texts] == [False, True]


def test_integers_of_unrolled_loops_have_64_bits() -> None:
    same(unrolled, np.ones(4), np.zeros(4, np.int64), native=1)


def test_constants_beyond_32_bits() -> None:
    same(constants, np.array([100000, 7, -1]), np.zeros(3, np.int64), native=1)


def test_an_operation_on_literals_that_fits_in_no_64_bits() -> None:
    for op, number in (("**", 10**8), ("<<", 10**12), ("*", 2**62)):
        with pytest.raises(LooptxError, match="64 bits"):
            binary(op, literal(10), literal(number))
    assert binary("**", literal(-1), literal(2**62 + 1)).literal == -1
    assert binary("&", literal(True), literal(False)).literal is False
    assert binary("/", literal(1), literal(2)).literal is None
    with pytest.raises(ValueError, match="negative"):
        _ = 1 << -1
    assert binary("//", literal(1), literal(0)).literal is None


def test_high_powers_are_bounded_at_once() -> None:
    high = 10**9
    assert (TRUTH ** exactly(high)).up.most == 1
    assert not (within(-2, 2) ** exactly(high)).closed
    for number in range(9):
        power = within(-2, 3) ** exactly(number)
        values = [base**number for base in range(-2, 4)]
        assert power.up.most is not None and power.down.most is not None
        assert -power.down.most <= min(values) and power.up.most == max(values)


def test_the_larger_of_a_literal_and_a_float_scalar() -> None:
    same(clamped, np.array([-1.0, 0.0, -0.0, 2.5, math.nan]), np.zeros(5), native=1)


def test_a_temporary_of_negative_size() -> None:
    same(temporary, np.ones(3), 3, native=1)
    same(temporary, np.ones(3), 0, native=1)
    same(temporary, np.ones(3), -1, native=0)
    assert "ValueError" in outcome(temporary, np.ones(3), -3)[0]


def test_the_axis_of_a_row_in_the_message() -> None:
    same(row, np.zeros((2, 3)), np.array([1, -3]), native=1)
    assert "axis 0 with size 3" in outcome(row, np.zeros((2, 3)), np.array([1, 3]))[0]
    assert outcome(row, np.zeros((2, 3)), np.array([1, 9, 2])) == outcome(
        row.py_func, np.zeros((2, 3)), np.array([1, 9, 2])
    )


BEYOND = (1e30, -1e30, 2.0**63, -(2.0**63), 3.0, 1e18, -5.0, math.inf)


@pytest.mark.parametrize("last", BEYOND)
def test_a_subscript_beyond_64_bits(last: float) -> None:
    given = np.zeros(3), np.array([1.0, last])
    assert outcome(histogram, *given) == outcome(histogram.py_func, *given)


def test_copies_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    same(summed, np.zeros(1), np.arange(64.0), native=1)

    def empty(*args: Any, **kwargs: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(np, "empty", empty)
    same(summed, np.zeros(1), np.arange(64.0), native=0)
    assert "no memory for copies" in str(summed.report())


def test_a_value_of_the_entry_is_that_of_its_statements() -> None:
    checks, value = Checks(), variable("k", of(FLOAT))
    checks.runs = {"S0": TRUE, "S1": TRUE}
    node, same = (ast.parse(text, mode="eval").body for text in ("1 / k", "1/(k)"))
    checks.early[form(same)] = Early("early", value, "1 / k", {TRUE: True}, {"S0"})
    texts = [checks.refined(name, node, value).name for name in ("S0", "S1")]
    assert texts == ["early", "k"]


def test_numbers_that_are_written_differently_are_not_the_same() -> None:
    assert literal(1) == literal(1)
    assert len({literal(one) for one in (1, 1.0, True, 0, 0.0, -0.0, False)}) == 7


def test_a_real_beside_a_complex_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.14 does not make it complex first; NumPy does."""
    real, numpy = literal(2.0), variable("z", of(ScalarType("complex128")))
    monkeypatch.setattr(sys, "version_info", (3, 13))
    assert binary("*", real, literal(1j)).kind == of(COMPLEX)
    monkeypatch.setattr(sys, "version_info", (3, 14))
    assert binary("*", literal(2j), literal(1j)).kind == of(COMPLEX)
    assert binary("*", real, numpy).kind == numpy.kind
    with pytest.raises(LooptxError, match="complex one of Python"):
        binary("*", real, literal(1j))


def test_an_exponent_that_does_not_fit() -> None:
    same(overflowing, np.array([3, 7], np.uint8), native=0)
    assert "OverflowError" in outcome(overflowing, np.array([3], np.uint8))[0]


KINDS: dict[ScalarType, Any] = {
    **{ScalarType(name): np.dtype(name) for name in ("bool", "uint8", "int32")},
    **{ScalarType(name): np.dtype(name) for name in ("int64", "float32", "float64")},
    INT: int,
    FLOAT: float,
}
ONE = (*sorted(UFUNCS), "sqrt", "floor", "ceil", "trunc", "rint", "absolute", "fabs")
ONE += ("square", "sign", "isnan", "isinf", "isfinite")
TWO = (*sorted(UFUNCS2), "minimum", "maximum")


@pytest.mark.parametrize("name", ONE + TWO)
def test_the_type_of_a_ufunc_is_what_numpy_says(name: str) -> None:
    known = 0
    for kinds in itertools.product(KINDS, repeat=1 + (name in TWO)):
        if all(kind.weak for kind in kinds):
            continue
        try:
            value = ufunc(name, [variable("x", of(kind)) for kind in kinds])
        except LooptxError:
            continue
        if value is not None:
            given = *(KINDS[kind] for kind in kinds), None
            dtype = getattr(np, name).resolve_dtypes(given)[-1].name
            assert value.kind.members == {ScalarType(dtype)}
            assert value.kind.dtype == dtype
            known += 1
    assert known


@looptx.kernel
def truths(A, B, C, D, n):
    for i in range(n):
        C[i] = A[i]
        D[i] += (A[i] & B[i]) + 2 * (A[i] | B[i]) + (A[i] < B[i])
        if A[i] == True:  # noqa: E712
            D[i] += A[i]
        A[i] |= B[i]
        C[i] ^= True


@looptx.kernel
def floors_of_data(x, y):
    for i in range(y.shape[0]):
        y[i] = math.floor(x[i]) // 2 + math.ceil(x[i])


@looptx.kernel
def deep(x, y):
    for i in range(y.shape[0]):
        y[i] = x[0, 0, 0, 0, 0, 0, 0, 0, i] + 1.0


def test_any_byte_but_zero_is_true() -> None:
    A = np.array([2, 1, 0, 255], np.uint8).view(bool)
    B = np.array([1, 0, 4, 1], np.uint8).view(bool)
    same(truths, A, B, B, np.zeros(4), 4, native=1)


def test_the_floor_of_a_numpy_integer_is_that_of_a_float() -> None:
    same(
        floors_of_data, np.array([2**53 + 1, -(2**53) - 1, 2**62 + 1]), np.zeros(3, int)
    )
    same(floors_of_data, np.array([5, -3, 2**31 - 1], np.int32), np.zeros(3, int))
    assert calls(floors_of_data) == 1


def test_many_axes() -> None:
    same(deep, np.ones((1,) * 8 + (3,)), np.zeros(3))
    assert calls(deep) == 1


@looptx.kernel(strict=True)
def signs(x, y):
    for i in range(x.shape[0]):
        y[i, 0] = 0 - abs(x[i])
        y[i, 1] = 0.0 - i
        y[i, 2] = -abs(x[i]) + 0
        y[i, 3] = 0.0 + -abs(x[i])
        y[i, 4] = (0.5 - 0.5) - i
        y[i, 5] = 0 - (abs(x[i]) if i != 1 else abs(x[3]))
        y[i, 6] = 0 - (x[i] > 0) * 1.0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_constant_zero_has_a_sign(dtype) -> None:
    x = np.array([0.0, -0.0, 1.0, -2.0, np.inf], dtype)
    same(signs, x, np.ones((5, 7), dtype))
    y = np.ones((5, 7), dtype)
    signs(x, y)
    assert not np.signbit(y[0]).any()


def newly_made(x):
    d = np.zeros(3)
    for i in range(x.shape[0]):
        d = x[i] + d[0]
    return d


def made_until(x):
    for i in range(x.shape[0]):
        d = x[i] + 1
        if d[0] > 6:
            break
        x[0, 0] += d[-1] * 2
    return i


def made_with_two_names(x):
    for i in range(1, x.shape[0]):
        d = x[i] * 2
        e = d
        e[0] = 7
        x[0, 0] += d[0]


def made_behind(x):
    for i in range(x.shape[0]):
        if i:
            x[0] += d[0]  # noqa: F821
        d = x[i] + 0.5
    return d


FUNCTIONS = [newly_made, made_until, made_with_two_names, made_behind]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda x: x.__name__)
def test_a_name_of_another_array_in_each_round(function) -> None:
    kernel = looptx.kernel(function)
    for shape in ((0, 3), (1, 3), (7, 2)):
        same(kernel, np.arange(float(math.prod(shape))).reshape(shape))
