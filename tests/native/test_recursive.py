"""Functions that call themselves at their ends are loops; others stay Python's."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from kit.calls import calls, outcome

import looptx

pytestmark = [
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
    ),
    pytest.mark.usefixtures("rehearsed"),
]


def passed(i, j, volume, below, left):
    """All that flows together here flows on as soon as nothing more comes."""
    volume.flat[j] += volume.flat[i]
    left[j] -= 1
    if left[j] == 0:
        on = below.flat[j]
        passed(j, on, volume, below, left)


def drained(volume, below, left, springs):
    for k in range(springs.size):
        spring = springs[k]
        passed(spring, below.flat[spring], volume, below, left)


def halved(x, i, by, *, least):
    if i < 0 or by < least:
        return
    x[i] -= by
    if x[i] > 0:
        halved(x, i - 1, least=least, by=by / 2)
    elif x[i] > -9:
        x[i] = by
        return None
    else:
        halved(by=by, x=x, i=i - 2, least=least)


def spread(x, n):
    for k in range(n):
        halved(x, k % len(x), 1.0 * k, least=0.125)


def down(x, i):
    if i > 0:
        x[i % len(x)] += 1
        down(x, i - 1)


def fallen(x, n):
    for k in range(2):
        x[k] = 7
        down(x, n)


def split(x, i):
    if i > 0:
        x[i] += 1
        split(x, i // 2)
        split(x, i - 2)


def divided(x, n):
    for k in range(n):
        split(x, k)


def up(x, i):
    """What ends it are conditions in conditions: each doubles what follows it."""
    if x[i] > 0:
        if x[0] > 0:
            return
        x[i] += 1
    if x[i] > 1:
        if x[0] > 1:
            return
        x[i] += 1
    if x[i] > 2:
        if x[0] > 2:
            return
        x[i] += 1
    if x[i] > 3:
        if x[0] > 3:
            return
        x[i] += 1
    if x[i] > 4:
        if x[0] > 4:
            return
        x[i] += 1
    if x[i] > 5:
        if x[0] > 5:
            return
        x[i] += 1
    if i > 0:
        up(x, i - 1)


def climbed(x):
    for k in range(len(x)):
        up(x, k)


def test_what_is_done_last_goes_on():
    rng = np.random.default_rng(5)
    kernel = looptx.kernel(drained)
    for shape in ((3, 4), (1, 7), (5, 5)):
        size = shape[0] * shape[1]
        given = (
            rng.random(shape),
            rng.integers(0, size, shape),
            rng.integers(1, 3, size).astype(np.uint8),
            rng.integers(0, size, 6),
        )
        assert outcome(kernel, *given) == outcome(drained, *given)
    assert calls(kernel) == 3


@pytest.mark.parametrize("n", [0, 1, 2, 17])
def test_arguments_have_the_values_of_their_names(n):
    kernel = looptx.kernel(spread)
    for count in (1, 2, 7):
        x = np.arange(1.0 * count)
        assert outcome(kernel, x, n) == outcome(spread, x, n)
    assert calls(kernel) == 3


@pytest.mark.filterwarnings("ignore:looptx")
def test_what_goes_deep_is_run_by_python():
    kernel = looptx.kernel(fallen)
    for n, native in ((0, 1), (399, 2), (450, 2)):
        assert outcome(kernel, np.zeros(9), n) == outcome(fallen, np.zeros(9), n)
        assert calls(kernel) == native
    with pytest.raises(RecursionError):
        kernel(np.zeros(9), 5000)


@pytest.mark.filterwarnings("ignore:looptx")
def test_what_goes_on_behind_itself_stays():
    kernel = looptx.kernel(divided)
    assert outcome(kernel, np.zeros(9), 9) == outcome(divided, np.zeros(9), 9)
    assert calls(kernel) == 0


@pytest.mark.filterwarnings("ignore:looptx")
def test_what_would_be_written_too_often_stays():
    kernel = looptx.kernel(climbed)
    assert outcome(kernel, np.arange(-3.0, 9)) == outcome(climbed, np.arange(-3.0, 9))
    assert calls(kernel) == 0
