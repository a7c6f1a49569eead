"""Statements on arrays outside of loops: where they are native, and who hears of it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import looptx


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def ran(kernel):
    """How often each nest ran natively."""
    return [nest.calls for nest in kernel.report().nests]


@looptx.kernel(strict=True)
def scattered(A, B, x, k):
    if k > 0:
        A[1:] = B[:-1] * 2
    while k > 0:
        A[:, k:] += x[k:]
        k -= 1
    for scale in x.tolist():
        B[0] *= scale
    try:
        B[:, 0] = A[:, 1] / x[0]
    finally:
        A[::-1] = B
    for t in range(2):
        A[t, :] = t
    return k


def test_wherever_they_stand():
    A, B, x = np.ones((5, 4)), np.arange(20.0).reshape(5, 4), np.arange(1.0, 5.0)
    own = [A.copy(), B.copy(), x.copy()]
    assert scattered(A, B, x, 3) == scattered.py_func(*own, 3)
    assert all(map(np.array_equal, (A, B, x), own))
    assert ran(scattered) == [1, 3, 4, 1, 1, 1]


@looptx.kernel(strict=True)
def several(A, x):
    for i in range(A.shape[0]):
        A[i, 0] = 1.0
    A[1:] = 2; x[1:] = 3  # fmt: skip  # noqa: E702
    for y in x.tolist(): A[:, 1] = y  # fmt: skip  # noqa: E701


def test_of_several_on_a_line_none_is_a_nest():
    A, x = np.zeros((3, 3)), np.zeros(3)
    several(A, x)
    assert A.tolist() == [[1, 3, 0], [2, 3, 2], [2, 3, 2]]
    assert ran(several) == [1]


@looptx.kernel(strict=True)
def others(A, B, x):
    for i in range(A.shape[0]):
        A[i, 0] = 1.0
    A[:, 1] = np.exp(x[:])
    A[:, 2] = B[:, 0]
    B[1:] = x[1:, None] @ x[None, 1:]
    return A


@pytest.mark.parametrize("kind", [np.int8, np.float32, object])
def test_nothing_is_said_of_what_numpy_does_as_well(kind):
    x = np.arange(3.0)
    A, B = np.zeros((3, 3)), np.ones((3, 2)).astype(kind)
    own = A.copy(), B.copy()
    result, wanted = _left(others, A, B, x), _left(others.py_func, *own, x)
    assert result == wanted
    assert A.tolist() == own[0].tolist()
    assert ran(others)[0] > 0


def _left(function, *args):
    try:
        return function(*args).tolist()
    except Exception as error:
        return type(error), str(error)


@looptx.kernel
def foretold(A, c):
    for i in range(A.shape[0]):
        A[i, 0] = 1.0
    A[:, 1:] = c


def test_types_that_are_said_need_not_do_for_statements():
    made = looptx.kernel(signature="float64[:, ::1], _")(foretold.py_func)
    A = np.zeros((2, 3))
    made(A, 2.0)
    assert A.tolist() == [[1, 2, 2], [1, 2, 2]]


def test_a_statement_alone_is_a_kernel():
    @looptx.kernel
    def filled(A, c):
        A[1:-1, 1:-1] = c

    A = np.zeros((4, 4))
    filled(A, 3)
    assert A.sum() == 12
    assert ran(filled) == [1]


def test_an_error_is_numpys():
    @looptx.kernel
    def copied(A, B):
        A[:, 1:] = B[:, :]

    A, B = np.zeros((4, 4)), np.ones((4, 4))
    with pytest.raises(
        ValueError, match=r"could not broadcast .* \(4,4\) into .* \(4,3\)"
    ):
        copied(A, B)
    assert ran(copied) == [0]
    B.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        copied(B, A[:, 1:])
