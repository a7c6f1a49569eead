"""``sum`` as Python has it since 3.12: floats keep what rounding loses of them."""

from __future__ import annotations

import math
import random
import sys
from unittest import mock

import numpy as np
import pytest

import looptx
from looptx.source.spelling.lists import generated

pytestmark = pytest.mark.usefixtures("rehearsed")


@pytest.fixture(scope="module", autouse=True)
def _compensated():
    with mock.patch.object(generated, "_IN_TURN", False):
        yield


def total(numbers):
    """What ``sum`` gives, see ``builtin_sum_impl`` of CPython 3.12."""
    result = 0
    rest = iter(numbers)
    for one in rest:
        result = result + one
        if type(result) is float:
            break
    else:
        return result
    lost = 0.0
    for one in rest:
        if type(one) is float:
            whole = result + one
            if abs(result) >= abs(one):
                lost += (result - whole) + one
            else:
                lost += (one - whole) + result
            result = whole
        else:
            result += one
    return result + lost if lost and math.isfinite(lost) else result


def scaled(a, k):
    t = []
    for i in range(k):
        t.append(sum(x * i for x in a))
    return t


def of_parts(a, k):
    t = []
    for i in range(k):
        t.append(sum(a[i:]))
    return t


def of_rows(a):
    return [sum(row) for row in a]


_RANDOM = random.Random(3)
LISTS = (
    [1e100, 1.0, -1e100, 1e-20, 3.0],
    [0.1] * 10,
    [_RANDOM.uniform(-1, 1) * 10 ** _RANDOM.randrange(20) for _ in range(97)],
    [-0.0],
    [-0.0, -0.0, 5e-324],
    [1, 2, 3, 4],
    [True, 1.5, 2],
    [2**30, 0.1, 2**30, 0.1, -(2**30)],
    [1e308] * 5,
    [1e308, 1e308, -1e308, math.inf],
    [math.inf, 1.0, -math.inf],
    [math.nan, 1.0],
)


@pytest.mark.parametrize("numbers", LISTS, ids=str)
def test_floats_keep_what_rounding_loses(numbers):
    assert sys.version_info < (3, 12) or repr(total(numbers)) == repr(sum(numbers))
    for function, each in (
        (scaled, lambda i: [x * i for x in numbers]),
        (of_parts, lambda i: numbers[i:]),
    ):
        kernel = looptx.kernel(function)
        assert repr(kernel(numbers, 3)) == repr([total(each(i)) for i in range(3)])
        (nest,) = kernel.report().nests
        assert nest.calls == 1
    kernel = looptx.kernel(of_rows)
    assert repr(kernel([numbers, numbers[::-1]])) == repr(
        [total(numbers), total(numbers[::-1])]
    )


def test_numbers_of_numpy_are_added_as_they_come():
    numbers = np.array(LISTS[0])
    kernel = looptx.kernel(scaled)
    assert repr(kernel(numbers, 2)) == repr([np.sum(numbers[:0]), numbers.cumsum()[-1]])
    assert kernel.report().nests[0].calls == 1


@pytest.mark.parametrize("mixed", [[0.5, 1j, 0.5], [0.5, np.float32(2), 0.1]])
def test_numbers_of_other_kinds_behind_floats_are_pythons(mixed):
    kernel = looptx.kernel(scaled)
    assert repr(kernel(mixed, 2)) == repr(scaled(mixed, 2))
    assert kernel.report().nests[0].calls == 0


def ones(n, k):
    t = []
    for j in range(k):
        t.append(sum(0.1 for i in range(n) if i % 3))
        t.append(sum(0.1 if i % 2 else 1 for i in range(n)))
    return t


def test_numbers_that_the_source_has_are_floats_too():
    kernel = looptx.kernel(ones)
    expected = [
        total(0.1 for i in range(50) if i % 3),
        total(0.1 if i % 2 else 1 for i in range(50)),
    ]
    assert kernel(50, 2) == expected * 2
    assert kernel.report().nests[0].calls == 1
