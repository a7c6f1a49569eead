"""Functions that ask what they are given: a version for each answer."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from semantics.table import exactly

import looptx

pytestmark = [
    pytest.mark.filterwarnings("ignore:looptx:RuntimeWarning"),
    pytest.mark.usefixtures("rehearsed"),
]

LINE, OTHER = np.arange(7.0) + 0.5, np.arange(7.0) * 2
TABLE = np.arange(12.0).reshape(3, 4)


def made(x, w=None):
    if w is None:
        w = np.ones(len(x))
    total = 0.0
    for i in range(len(x)):
        total += w[i] * x[i]
    return total


def inside(x, w=None):
    total = 0.0
    for i in range(len(x)):
        if w is not None:
            total += w[i] * x[i]
        else:
            total += x[i]
    return total, w


def rebound(x, w=None):
    total = 0.0
    for i in range(len(x)):
        if w is None:
            w = x[i]
        total += w
    return total, w


def number_of(a, i):
    if a.ndim == 0:
        return a.item()
    return a[i]


def of_a_number(x, least=0.5):
    """Arrays without axes are their numbers, until the name is another's."""
    least = np.asarray(least)
    total = 0
    for i in range(len(x)):
        total += number_of(least, i)
    return total, type(total), least


def of_another_later(x, least=0.5):
    seen = np.asarray(least)
    total = 0.0
    for i in range(len(x)):
        total += number_of(seen, i)
    seen = np.asarray(x)
    for i in range(len(x)):
        total += number_of(seen, i)
    return total


def ended(x, n=None):
    if n is None:
        n = len(x)
    elif n < 0:
        raise ValueError("n")
    total = 0.0
    for i in range(n):
        total += x[i]
    return total


def flagged(x, flag=False):
    if flag:  # noqa: SIM108
        seen = np.zeros(len(x))
    else:
        seen = None
    other = np.ones(len(x)) if flag else None
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] * 2
        if flag:
            seen[i] = x[i]
            other[i] += x[i]
    return out, seen, other


def named(x, kind="sum"):
    total = 0.0
    for i in range(len(x)):
        if kind == "sum":
            total += x[i]
        elif kind in ("less", "minus"):
            total -= x[i]
        else:
            total = total * 2 + x[i]
    return total


def ranked(x):
    total = 0.0
    if x.ndim == 1:
        for i in range(len(x)):
            total += x[i]
    else:
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                total -= x[i, j]
    return total


def scaled(value, w, kind):
    if w is None:
        return value
    if kind == "square":
        return value * value * w
    return value * w


def given_on(x, w=None, kind="square"):
    total = 0.0
    for i in range(len(x)):
        total += scaled(x[i], w, kind)
    return total


def counted(row, window, least=None):
    if least is None:
        least = window
    if least > window:
        raise ValueError("least must be <= window")
    out = np.zeros(len(row))
    for i in range(len(row)):
        out[i] = row[i] * least if i >= least else -1.0
    return out


def columns(x, window, least=None):
    out = np.zeros_like(x)
    for k in range(x.shape[1]):
        out[:, k] = counted(x[:, k], window, least=least)
    return out


def anything(*more):
    return 0.5 if not more else more[-1] - more[0]


def moved(value, *more):
    if not more:
        return value
    return value * more[0] + least(*more)


def least(one, two=1.0):
    return one if one < two else two


def rest(value, *more):
    more = more[0]
    return value + more


def given_more(x, *more):
    total = 0.0
    for i in range(len(x)):
        total += moved(x[i], *more) - anything(*more) + anything()
        if more:
            total += more[0]
    return total, more


def given_two(x):
    total = 0.0
    for i in range(len(x)):
        total += moved(x[i], i, 2.5) * anything(i, 1, x[i]) - moved(x[i])
    return total


def given_function(x, function, *more):
    total = 0.0
    for i in range(len(x)):
        total += function(i, x[i], *more)
    return total


def rebound_more(x):
    total = 0.0
    for i in range(len(x)):
        total += rest(x[i], i)
    return total


def otherwise(x, w=None, v=None):
    try:
        w = w or 3
        if v is None:
            v = 2.0
    except ValueError as v:
        pass
    ask = lambda w: w is None  # noqa: E731
    total = 0.0
    for i in range(len(x)):
        total += v * x[i] * w
    return total, ask(None), [w is None for w in (1, None)]


def walrus(x, w=None, t=3):
    if (w := t) is None:
        return 1.0
    total = 0.0
    for i in range(len(x)):
        if w is None:
            total += 1.0
        else:
            total += w * x[i]
    return total


def within(x, w=None):
    def forget():
        nonlocal w
        w = None
        return 1.0

    forget()
    total = 0.0
    for i in range(len(x)):
        if w is None:
            total += x[i]
        else:
            total += 2 * x[i]
    return total


def scheduled(x, out, w=None):
    # looptx: split i 2
    for i in range(len(x)):
        out[i] = x[i] * (2 if w is None else 3)
    return w


CALLS = {
    made: [(), (OTHER,), (None,), ([1] * 7,), (2,), (OTHER[:3],), ()],
    inside: [(), (OTHER,), (None,), (3,), (OTHER[:3],)],
    rebound: [(), (2.5,), (OTHER,)],
    ended: [(), (3,), (-3,), (30,), (None,)],
    of_a_number: [(), (3,), (True,), (np.float32(2.5),), (OTHER,), (None,), (-0.0,)],
    of_another_later: [(), (3,), (OTHER,), ("a",)],
    flagged: [(), (True,), (False,), (1,), (0,), (np.True_,), (None,)],
    named: [(), ("less",), ("minus",), ("x",), (3,), (np.str_("sum"),), ("y" * 50,)],
    ranked: [()],
    given_on: [(), (3.0,), (3.0, "no"), (3, "square"), (None, "no"), (OTHER,)],
    otherwise: [(), (2.5,), (4, None), (4, 1.5)],
    walrus: [(), (2.5, None), (None, 2)],
    within: [(), (2.5,)],
    columns: [(3,), (3, 2), (2, 3), (3, None)],
    given_more: [
        (),
        (2,),
        (2.0, 3),
        (1, 2, 3),
        (OTHER,),
        (None,),
        ("a", 1),
        (*range(12),),
    ],
    given_two: [()],
    given_function: [(anything,), (moved,), (moved, 2.0), (anything, OTHER, 1), (min,)],
    rebound_more: [()],
}


def _left(called: Any, *arguments: Any) -> object:
    """What a call leaves behind."""
    try:
        result = exactly(called(*arguments))
    except Exception as error:
        result = type(error).__name__, str(error)
    return result, [exactly(one) for one in arguments if type(one) is np.ndarray]


@pytest.mark.parametrize("function", CALLS, ids=lambda x: x.__name__)
def test_results_are_those_of_python(function: Any) -> None:
    kernel = looptx.kernel(function)
    for array in (LINE, TABLE, LINE[:1], LINE[:0], TABLE[:, :0], LINE):
        for more in CALLS[function]:
            wanted = _left(function, array.copy(), *more)
            assert _left(kernel, array.copy(), *more) == wanted, more


def _calls(kernel: Any) -> int:
    return sum(nest.calls for nest in kernel.report().nests)


@pytest.mark.parametrize(
    ("function", "more"),
    [
        (made, ((), (OTHER,), (None,))),
        (inside, ((), (OTHER,), (None,))),
        (ended, ((), (3,))),
        (of_a_number, ((), (3,), (2.5,))),
        (flagged, ((), (True,), (False,))),
        (named, ((), ("less",), ("minus",), ("x",))),
        (given_more, ((), (2,), (2.5, 1))),
        (given_two, ((),)),
        (given_function, ((anything,), (anything, 3), (moved,), (moved, 2.0))),
        (given_on, ((), (3.0,), (3.0, "no"), (3, "square"), (None, "no"))),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_each_answer_runs_natively(function: Any, more: Any) -> None:
    kernel = looptx.kernel(function)
    for number, arguments in enumerate((*more, *more), 1):
        kernel(LINE, *arguments)
        assert _calls(kernel) == number, kernel.report()


def test_functions_that_are_called_are_told() -> None:
    kernel = looptx.kernel(columns)
    for number, more in enumerate(((3,), (3, 2), (3, None), (2,)), 1):
        kernel(TABLE, *more)
        assert _calls(kernel) == number, kernel.report()


def test_axes_are_asked_for() -> None:
    kernel = looptx.kernel(ranked)
    assert kernel(LINE) == ranked(LINE) and kernel(TABLE) == ranked(TABLE)
    assert kernel(LINE[::2]) == ranked(LINE[::2]) and _calls(kernel) == 3


def test_texts_beyond_number_run_as_written() -> None:
    kernel = looptx.kernel(named)
    for number in range(40):
        assert kernel(LINE, f"k{number}") == named(LINE, f"k{number}")
    assert kernel(LINE, "sum") == named(LINE)


def test_another_function_asks_other_things() -> None:
    def first(x, w=None):
        total = 0.0
        for i in range(len(x)):
            total += x[i] if w is None else w * x[i]
        return total

    def second(x, v=None):
        total = 1.0
        for i in range(len(x)):
            total += x[i] if v is None else v
        return total

    kernel = looptx.kernel(first)
    assert kernel(LINE) == first(LINE) and kernel(LINE, 2.0) == first(LINE, 2.0)
    first.__code__ = second.__code__
    assert kernel(LINE) == second(LINE) and kernel(LINE, 2.0) == second(LINE, 2.0)


def test_names_that_change_each_time() -> None:
    def loud(x, w=None):
        total = 0.0
        for i in range(len(x)):
            total += x[i] if w is None else w * FACTOR
        return total

    kernel = looptx.kernel(loud)
    for number in range(6):
        globals()["FACTOR"] = object() if number == 3 else number
        if number != 3:
            assert kernel(LINE) == loud(LINE)
            assert kernel(LINE, 2.0) == loud(LINE, 2.0)


FACTOR: Any = 1


def test_what_is_scheduled_stays_as_it_is() -> None:
    kernel = looptx.kernel(scheduled)
    for more in ((), (2,), (OTHER,)):
        outs = np.zeros((2, 7))
        kernel(LINE, outs[0], *more)
        scheduled(LINE, outs[1], *more)
        assert (outs[0] == outs[1]).all()


def test_names_that_get_no_value_are_no_others() -> None:
    def rounded(x, w=None):
        if w is not None:
            abs = np.floor
        total = 0.0
        for i in range(len(x)):
            total += abs(x[i])
        return total

    def shifted(x, kind="no"):
        if kind == "yes":
            np, FACTOR = None, 3
        total = 0.0
        for i in range(len(x)):
            if kind != "yes":
                total += np.abs(x[i]) + FACTOR
        return total

    for function in rounded, shifted:
        kernel = looptx.kernel(function)
        for more in ((), ("yes",), ()):
            assert _left(kernel, LINE, *more) == _left(function, LINE, *more)


def test_what_a_function_wraps_is_not_called() -> None:
    def other(w, values=None):
        raise AssertionError

    def own(x, w=None):
        total = 0.0
        for i in range(len(x)):
            total += x[i] if w is None else w
        return total

    for function in own, functools.wraps(other)(own):
        kernel = looptx.kernel(function)
        for more in ((2.0,), (), (3,)):
            before = _calls(kernel)
            assert exactly(kernel(LINE, *more)) == exactly(function(LINE, *more))
            assert _calls(kernel) == before + 1
