"""Names that may have no value: loops ask, and Python raises what it raises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from semantics.table import exactly

import looptx

pytestmark = [
    pytest.mark.usefixtures("rehearsed"),
    pytest.mark.filterwarnings("ignore:looptx:RuntimeWarning"),
]


def first(x, out):
    for i in range(len(x)):
        if i == 0:
            z = x[i] * 2
        elif i == 1:
            z = z - x[i]
        else:
            z = 0.5 * z + out[i - 1]
        out[i] = z


def above(x, out):
    for i in range(len(x)):
        out[i] = -1.0
        if x[i] > 2:
            last = x[i]
        out[i] += last
    return out


def counted(x, out):
    for i in range(len(x)):
        out[i] = i
        if x[i] > 1:
            found += 1  # noqa: F821
        else:
            found = 0
    return found


def steps(x, out):
    for i in range(len(x)):
        its, most = 0, int(x[i])
        while its < most:
            p = x[i] * its
            its += 1
        out[i] = p / (its + 1)


def within(x, out):
    for i in range(len(x)):
        for j in range(i):
            if x[j] > x[i]:
                best = j
            elif j > 1:
                out[i] += best
        out[i] += 1
    return out.sum()


def outside(x, out):
    for i in range(len(x)):
        if x[i] > 2:
            k = i
        if i > 3:
            for j in range(2):
                out[j] += k
    return k


def said(x, out):
    for i in range(len(x)):
        v: float
        if i > 0:
            out[i] = v  # noqa: F821
        v = x[i]
    return v


def before(x, out):
    if len(x) > 3:
        v = 1.0
    for i in range(len(x)):
        out[i] = 2.0
        if x[i] < 2:
            v = x[i]
        out[i] += v
    return v


def again(x, out):
    for t in range(2):
        for i in range(len(x)):
            if t == 0 and i == 0:
                v = x[i]
            out[i] += v
            v = v + 1
    return v


def several(x, out):
    for i in range(len(x)):
        if x[i] > 2:
            a, b = x[i], i
        elif x[i] > 1:
            out[i] = a + b
        out[i] += i
    return a


def broken(x, out):
    for i in range(len(x)):
        if x[i] > 3:
            at = i
            break
        out[i] = x[i]
    else:
        at = at + 1
    return at


def listed(x, out):
    found = []
    for i in range(len(x)):
        found.append(x[i])
        if x[i] > 2:
            v = x[i]
        if i > 1:
            found.append(v)
    return found


def drawn(x, out):
    for i in range(len(x)):
        out[i] = np.random.random()
        if x[i] > 2:
            v = x[i]
        if i > 1:
            out[i] *= v
    return np.random.random()


def truths(x, out):
    for i in range(len(x)):
        if x[i] > 2:
            seen = x[i] > 3
        elif seen:
            out[i] = 1.0
        out[i] += 1


def whole(x, out):
    for i in range(len(x)):
        if x[i] > 1:
            scale = x[i]
        out[1:] = out[:-1] * scale + x[1:]
    return out


def rows(x, out):
    i = 0
    while i < len(x):
        if x[i] > 1:
            low = i
        i += 1
        if i > 2:
            out[low] += x[low:i].sum()
    return low


FUNCTIONS = (
    *(first, above, counted, steps, within, outside, said, before, again, several),
    *(broken, listed, drawn, truths, whole, rows),
)
VALUES = (
    [],
    [1.5],
    [3.5],
    [2.5, 0.5, 1.5, 3.5, 0.25],
    [0.5, 3.0, 1.2, 2.2, 4.0, 1.1, 0.1],
)


def _left(called: Any, values: Any) -> object:
    """What a call leaves behind."""
    x, out = np.array(values, float), np.ones(len(values))
    np.random.seed(3)
    try:
        result = exactly(called(x, out))
    except Exception as error:
        result = type(error).__name__, str(error)
    return result, exactly(x), exactly(out), exactly(np.random.random())


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda x: x.__name__)
def test_results_and_exceptions_are_those_of_python(function: Any) -> None:
    kernel = looptx.kernel(function)
    for values in (*VALUES, VALUES[-1][::-1], sorted(VALUES[-1])[::-1]):
        assert _left(kernel, values) == _left(function, values), values


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda x: x.__name__)
def test_they_run_natively(function: Any) -> None:
    if function in (before, drawn, listed, said):
        return  # What may have a value before, or is kept, is Python's.
    kernel = looptx.kernel(function)
    for values in ([2.5, 0.5, 1.5, 3.5, 0.25], [3.5, 2.1, 2.2, 1.1, 1.05], [0.5, 1.5]):
        _left(kernel, values)
    assert sum(nest.calls for nest in kernel.report().nests), kernel.report()
