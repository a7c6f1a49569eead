"""Lists whose lengths change in front of a nest: what was known of them is no more."""

from __future__ import annotations

import pytest
from kit.calls import outcome

import looptx

pytestmark = [
    pytest.mark.usefixtures("rehearsed"),
    pytest.mark.filterwarnings("ignore:looptx"),
]


def popped(o):
    n = len(o)
    o.pop()
    t = 0
    for i in range(n):
        t += o[i]
    return t


def longer(o):
    n = len(o)
    o.append(3.5)
    t = 0
    for i in range(len(o)):
        t += o[i]
    return t, n


def joined(o):
    p, n = o, len(o)
    p += [2.5]
    t = 0
    for i in range(len(o)):
        t += o[i]
    return t, n


def sliced(o):
    p, n = o, len(o)
    p[2:] = []
    t = 0
    for i in range(n):
        t += o[i]
    return t


def deleted(o):
    p, n = o, len(o)
    del p[2:]
    t = 0
    for i in range(n):
        t += o[i]
    return t


def added_in_a_loop(o):
    n, p = len(o), o
    t = 0
    for i in range(2):
        p.append(i)
    for i in range(len(o)):
        t += o[i]
    return t, n


@pytest.mark.parametrize(
    "function", [popped, longer, joined, sliced, deleted, added_in_a_loop]
)
def test_lengths_are_those_of_the_lists_as_they_are(function):
    ours, expected = [1.5] * 6, [1.5] * 6
    said = outcome(looptx.kernel(function), ours)
    assert said == outcome(function, expected)
    assert ours == expected


def awaited(o):
    n = len(o)
    yield n
    t = 0
    for i in range(len(o)):
        t += o[i]
    yield t


def test_who_runs_a_generator_may_change_lists():
    numbers = [1.5] * 6
    running = looptx.kernel(awaited)(numbers)
    assert next(running) == 6
    numbers.append(3.5)
    assert next(running) == 12.5


def added_by_its_name(p, q):
    n = len(p)
    own = [5]
    q += own
    s = 0
    for i in range(len(p)):
        s += i + n
    return s


def test_what_is_added_may_have_a_name():
    once, again = [1, 2, 3], [1, 2, 3]
    kernel = looptx.kernel(added_by_its_name)
    assert kernel(once, once) == added_by_its_name(again, again) == 18


def by_the_larger_one(k):
    own = [1.5] * k
    n = len(own)
    other = max(own, own)
    other.pop()
    s = 0.0
    for i in range(len(own)):
        s += own[i] + n
    return s


def test_what_gives_an_argument_itself_gives_a_list_another_name():
    kernel = looptx.kernel(by_the_larger_one)
    assert kernel(5) == by_the_larger_one(5) == 26.0
    assert "1 native call" in str(kernel.report())
