"""Comprehensions of lists as loops: what is told of them, and what is around them."""

from __future__ import annotations

import warnings

import pytest

import looptx

pytestmark = pytest.mark.usefixtures("rehearsed")


def spelled(xs):
    n = 0
    for x in xs:
        n += len(x)
    return [x.upper() for x in xs], n


def counted(xs, names):
    n = 0
    for x in xs:
        n += x
    return [names[x] for x in xs], n


def squares(xs):
    return [x * x for x in xs]


def test_nobody_is_told_of_comprehensions_that_stay_as_they_are():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel = looptx.kernel(strict=True)(counted)
        assert kernel([0, 1], {0: "a", 1: "b"}) == (["a", "b"], 1)
        first, *others = kernel.report().nests
        assert first.calls == 1 and not any(one.calls for one in others)
        squared = looptx.kernel(strict=True)(squares)
        assert squared([2]) == [4]
        with pytest.raises(TypeError):
            squared(["a"])
        assert squared([1j, 2]) == [-1, 4]


def test_methods_of_what_is_no_number_are_pythons():
    kernel = looptx.kernel(spelled)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert kernel(["a", "bc"]) == (["A", "BC"], 3)


def grown(p):
    """Its first loop is native whatever the comprehension is."""
    out = []
    for x in p:
        for y in p:
            out.append(x * y)
    return [str(x) for x in out]


def doubled(p):
    out = []
    for x in p:
        for y in p:
            out.append(x * y)
    return [2 * x for x in out]


@pytest.mark.parametrize("function", [grown, doubled])
def test_loops_in_front_of_them_are_nests_of_their_own(function):
    kernel = looptx.kernel(function)
    assert kernel([1, 2, 3]) == function([1, 2, 3])
    nests = kernel.report().nests
    assert all(nest.calls for nest in nests)
    assert len(nests) == 1 + (function is doubled)


def test_what_is_said_of_loops_is_not_said_of_comprehensions():
    """Nothing of a loop that the source does not have is in a report."""

    def labelled(names):
        for name in names:
            print(end=name)
        return [name.upper() for name in names], [[name] for name in names]

    kernel = looptx.kernel(labelled)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert kernel(["", ""]) == labelled(["", ""])
    report = kernel.report()
    assert [nest.line for nest in report.nests] == [
        labelled.__code__.co_firstlineno + 1
    ]
    assert not report.left
