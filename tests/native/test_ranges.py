"""Ranges of integers without a sign, which are large where Python has some below 0."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from kit.carried import exactly

import looptx

pytestmark = pytest.mark.usefixtures("rehearsed")


@looptx.kernel
def begun_below(x, at):
    s = 0
    for i in range(len(x)):
        for j in range(at[i] - 1, 3):
            s += x[j]
    return s


@looptx.kernel
def up_to_less(x, at):
    s = 0
    for i in range(len(x)):
        for j in range(-at[i]):
            s += x[j]
    return s


@looptx.kernel
def downwards(x, at):
    s = 0
    for i in range(len(x)):
        for j in range(2, -at[i], -1):
            s += x[j]
    return s


@looptx.kernel
def by_name(x, at):
    s = 0
    for i in range(len(x)):
        m = at[i]
        for j in range(m, 3):
            s += x[j]
    return s


def added(x, n):
    s = 0.0
    for j in range(n, 3):
        s += x[j]
    return s


@looptx.kernel
def called(x, at):
    s = 0.0
    for i in range(len(x)):
        s += added(x, at[i] - 1)
    return s


def left(function, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return exactly(function(*args))
        except IndexError as error:
            return str(error)


KERNELS = begun_below, up_to_less, downwards, by_name, called
LARGE = [2**63, 2**64 - 1, 2]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda one: one.py_func.__name__)
@pytest.mark.parametrize("at", [[0, 1, 2], [2, 1, 3], LARGE], ids=str)
def test_ends_beyond_64_bits_are_pythons(kernel, at):
    x = np.array([1.0, 2.0, 4.0])
    for kind in (np.uint64, np.uint8):
        there = np.array(at, np.uint64).astype(kind)
        own = looptx.kernel(kernel.py_func)
        assert left(own, x, there) == left(kernel.py_func, x, there)


def test_ends_within_them_are_native():
    x = np.array([1.0, 2.0, 4.0])
    assert by_name(x, np.array([0, 1, 2], np.uint64)) == 17.0
    assert by_name.report().nests[0].calls == 1
