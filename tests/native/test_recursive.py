"""Functions that call themselves are loops, but for those that give a value."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator

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


def spanned(x, near, i, left):
    """Arrays and loops of a call are its own."""
    if left < 1 or x[i] > 3:
        return
    others = near + i
    for k in range(len(others) - 1, -1, -1):
        x[others[k] % len(x)] += left
        spanned(x, near, others[k], left - 1)
        x[i] = x[i] * 0.5 + others[k]


def grown(x, near, n):
    for k in range(n):
        spanned(x, near, k % len(x), 3)


def valued(x, i):
    if i > 0:
        x[i] += 1
        return valued(x, i // 2) + valued(x, i - 2)
    return 0.5


def given(x, n):
    for k in range(n):
        x[0] += valued(x, k)


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


def fan(x, i):
    if i > 0:
        fan(x, i - 1)
        fan(x, i - 2)
        fan(x, i - 3)
        fan(x, i - 4)
        fan(x, i // 2)
        x[i] += i


def fanned(x):
    for k in range(len(x)):
        fan(x, k)


def climbed(x):
    for k in range(len(x)):
        up(x, k)


def advanced(x, i):
    """Rounds that are left of a loop hang on its variable, which is another one."""
    for k in range(3):
        k = k + 1
        x[i] += k
        if i > 0:
            advanced(x, i - 1)
        x[i] += 10 * k


def sunk(x, i):
    """A loop and what is left of it ask for one variable."""
    if i <= 0:
        return
    k = 5
    while k > 0:
        k -= 2
        sunk(x, i - 1)
        x[i] += k


def inner(x, n):
    x[1] += 1
    if n > 0:
        inner(x, n - 1)
        x[1] *= 0.5


def middle(x, n):
    x[2] += 1
    if n > 0:
        middle(x, n - 1)
        x[2] *= 0.5
    else:
        inner(x, 380)


def outer(x, n):
    x[3] += 1
    if n > 0:
        outer(x, n - 1)
        x[3] *= 0.5
    else:
        middle(x, n + 380)


def met(x, n):
    for _ in range(1):
        outer(x, n)


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


def test_what_was_kept_goes_on_behind_a_call():
    kernel = looptx.kernel(divided)
    assert outcome(kernel, np.zeros(9), 9) == outcome(divided, np.zeros(9), 9)
    assert calls(kernel) == 1
    kernel = looptx.kernel(grown)
    for steps in ([-1, 1], [1], [], [0, 2, -2]):
        values = np.arange(5.0) - 1, np.array(steps, dtype=np.int64)
        one = outcome(kernel, *map(np.copy, values), 7)
        assert one == outcome(grown, *map(np.copy, values), 7)
    assert calls(kernel) == 4


def test_a_kernel_may_call_itself():
    kernel = looptx.kernel(spanned)
    near = np.array([-1, 1, 2])
    for left in (0, 1, 4):
        one = outcome(kernel, np.arange(7.0), near, 3, left)
        assert one == outcome(spanned, np.arange(7.0), near, 3, left)
    assert calls(kernel) == 2


@pytest.mark.filterwarnings("ignore:looptx")
def test_what_is_left_at_an_exception_is_what_python_leaves():
    kernel = looptx.kernel(grown)
    for size, far in ((3, 99), (0, 1)):
        values = np.arange(1.0 * size), np.array([1, far])
        given_first, given_then = (tuple(map(np.copy, values)) for _ in range(2))
        assert outcome(kernel, *given_first, 2) == outcome(grown, *given_then, 2)


@pytest.mark.filterwarnings("ignore:looptx")
def test_what_gives_a_value_stays():
    kernel = looptx.kernel(given)
    assert outcome(kernel, np.zeros(9), 9) == outcome(given, np.zeros(9), 9)
    assert calls(kernel) == 0


def test_ends_behind_many_conditions_are_calls_that_are_gone_back_to():
    kernel = looptx.kernel(climbed)
    assert outcome(kernel, np.arange(-3.0, 9)) == outcome(climbed, np.arange(-3.0, 9))
    assert calls(kernel) == 1


@pytest.mark.filterwarnings("ignore:looptx")
def test_what_would_be_written_too_often_stays():
    kernel = looptx.kernel(fanned)
    assert outcome(kernel, np.zeros(9)) == outcome(fanned, np.zeros(9))
    assert calls(kernel) == 0


@pytest.fixture
def few_frames() -> Iterator[None]:
    """Python has room for fewer calls than one loop stands for."""
    before = sys.getrecursionlimit()
    here, frame = 0, sys._getframe()
    while frame is not None:
        here, frame = here + 1, frame.f_back
    sys.setrecursionlimit(here + 330)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("deep", [3, 250, 380, 399])
def test_python_has_room_for_fewer_calls(few_frames: None, deep: int) -> None:
    kernel = looptx.kernel(fallen)
    ours, theirs = (outcome(one, np.zeros(5), deep)[0] for one in (kernel, fallen))
    assert ours == theirs
    assert ours.startswith("RecursionError") == (deep > 330)
    assert not calls(kernel)
    assert "no room" in str(kernel.report())


@pytest.mark.filterwarnings("ignore:looptx")
@pytest.mark.parametrize("function", [advanced, sunk])
@pytest.mark.parametrize("i", [0, 1, 3])
def test_variables_of_loops_around_calls(function: Callable[..., None], i: int) -> None:
    kernel = looptx.kernel(function)
    for dtype in (np.int64, np.float64):
        given = np.zeros(5, dtype), i
        assert outcome(kernel, *given) == outcome(function, *given)
    assert bool(calls(kernel)) == (function is sunk and i > 0)


@pytest.mark.filterwarnings("ignore:looptx")
def test_python_has_room_for_fewer_calls_of_several_functions() -> None:
    kernel = looptx.kernel(met)
    ours, theirs = (outcome(one, np.zeros(5), 380)[0] for one in (kernel, met))
    assert ours == theirs and ours.startswith("RecursionError")
    assert outcome(kernel, np.zeros(5), -1) == outcome(met, np.zeros(5), -1)
    assert "no room for 1200" in str(kernel.report())
