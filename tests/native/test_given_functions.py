"""Functions of Python and NumPy that a kernel is given: each call says which."""

from __future__ import annotations

import math
from unittest import mock

import numpy as np
import pytest
from kit.calls import calls

import looptx

pytestmark = pytest.mark.usefixtures("rehearsed")


@looptx.kernel
def mapped(f, x):
    s = 0.0
    for i in range(len(x)):
        s += f(x[i])
    return s


X = np.array([0.25, 1.0, 2.5])


def test_each_function_is_its_own():
    for function in (math.sin, np.sin, math.exp, abs, math.sin):
        before = calls(mapped)
        assert repr(mapped(function, X)) == repr(mapped.py_func(function, X))
        assert calls(mapped) > before, mapped.report()


def test_a_function_in_the_place_of_another_is_called():
    assert mapped(math.cos, X) == sum(map(math.cos, X))
    with mock.patch("math.cos", lambda x: 2.0):
        assert mapped(math.cos, X) == 6.0


def test_what_python_raises_is_raised():
    with pytest.raises(ValueError, match="math domain error"):
        mapped(math.sqrt, -X)
    with pytest.raises(TypeError, match="expected 2 arguments"):
        mapped(math.pow, X)
    with pytest.raises(TypeError):
        mapped(len, X)


def moved(value, total, count):
    count += 1
    total += value
    return total, count


@looptx.kernel(strict=True)
def added_up(x):
    total, count = 0.0, 0
    for i in range(len(x)):
        total, count = moved(x[i], total, count)
        if i > 1:
            total, count = moved(-x[i - 2], total, count)
    return total, count


def test_what_functions_add_to_their_arguments_may_be_what_they_gave():
    for n in (0, 1, 2, 7):
        x = np.linspace(0.1, 2.3, n)
        assert repr(added_up(x)) == repr(added_up.py_func(x))


def turned(row):
    for k in range(len(row) // 2):
        row[k], row[len(row) - 1 - k] = row[len(row) - 1 - k], row[k]


def stretched(row):
    return row[0] + 2.0 * row[len(row) - 1] if len(row) else -1.0


@looptx.kernel(strict=True)
def turned_in_part(A):
    s = 0.0
    for i in range(A.shape[0]):
        turned(A[i, 1:])
        turned(A[i, :-1])
        turned(A[:2, i])
        s += stretched(A[i, 2:4])
    return s


def test_functions_are_given_parts_with_bounds_that_are_written():
    for n in (0, 1, 2, 3, 7):
        A, B = (np.arange(float(n * n)).reshape(n, n) for _ in range(2))
        assert repr(turned_in_part(A)) == repr(turned_in_part.py_func(B))
        assert A.tobytes() == B.tobytes()
