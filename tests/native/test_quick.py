"""Calls that the quick way takes, and how it leaves the others to the dispatcher."""

from __future__ import annotations

import math
import shutil
import sys
import types
import warnings

import numpy as np
import pytest
from kit.calls import same

import looptx
from looptx.native.call.dispatch import RENAMED

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)

root = math.sqrt


def swap(function):
    globals()["root"] = function


def renames(A, B):
    for i in range(A.shape[0]):
        B[i] = root(A[i])
    swap(math.floor)
    for i in range(A.shape[0]):
        B[i] = B[i] + root(A[i])
    swap(math.sqrt)


def no_values():
    total = 0
    for i in range(10):
        total = i
    return total


@looptx.kernel("parallel i")
def shared(A):
    for i in range(A.shape[0]):
        A[i] = A[i] + 1.0


@looptx.kernel
def shift(A, B):
    for i in range(A.shape[0]):
        B[i] = A[i]


def test_a_call_runs_the_kernel_and_the_function_and_no_more():
    A = np.ones(4)
    shift(A, np.zeros(4))
    called = []

    def see(frame, event, _):
        if event == "call":
            called.append(frame.f_code.co_name)

    sys.setprofile(see)
    try:
        shift(A, np.zeros(4))
    finally:
        sys.setprofile(None)
    assert called == ["__call__", "shift"]


def test_a_name_that_changes_between_nests():
    kernel = looptx.kernel(renames)
    for _ in range(2):
        same(kernel, np.arange(1.0, 6.0), np.zeros(5))
    first, second = kernel.report().nests
    assert first.calls == 2 and second.fallbacks == {RENAMED: 2}


def test_a_nest_without_values():
    kernel = looptx.kernel(no_values)
    for _ in range(3):
        assert kernel() == 9
    (nest,) = kernel.report().nests
    assert nest.calls == 3


def test_threads_are_counted_again_in_a_forked_process():
    from looptx.native import runtime

    A = np.zeros(4)
    shared(A)
    state = runtime._threads
    before = state.limit, state.forked, state.told
    try:
        state.after_fork()
        for _ in range(2):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                shared(A)
        state.told = False
        with pytest.warns(RuntimeWarning, match="one thread in a forked process"):
            shared(A)
    finally:
        state.limit, state.forked, state.told = before
    assert not said and list(A) == [4.0] * 4
    (nest,) = shared.report().nests
    assert nest.calls == 4


def test_the_line_of_a_warning_is_that_of_the_call():
    kernel = looptx.kernel(shift.py_func)
    A = np.arange(6.0)
    kernel(A, np.zeros(6))
    with pytest.warns(RuntimeWarning, match="overlap in memory") as said:
        kernel(A[:-1], A[1:])  # here
    (one,) = said
    assert one.filename == __file__
    with open(__file__, encoding="utf-8") as file:
        assert "# here" in file.readlines()[one.lineno - 1]


def test_what_a_function_is_made_of_may_change():
    def one(A, k=2.0):
        for i in range(A.shape[0]):
            A[i] = A[i] * k

    kernel = looptx.kernel(one)
    A = np.ones(3)
    kernel(A)
    one.__defaults__ = (3.0,)
    kernel(A)
    assert list(A) == [6.0] * 3


def test_a_function_may_get_other_parameters():
    def one(A):
        for i in range(A.shape[0]):
            A[i] = A[i] * 2.0

    def two(A, k):
        for i in range(A.shape[0]):
            A[i] = A[i] * k

    kernel = looptx.kernel(one)
    A = np.ones(3)
    kernel(A)
    with pytest.raises(TypeError, match="takes 1 positional argument but 2"):
        kernel(A, 3.0)
    one.__code__ = two.__code__
    kernel(A, 3.0)
    assert list(A) == [6.0] * 3
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        kernel(A)


def test_a_type_error_of_the_function_is_raised_once():
    calls = []

    def one(A, k):
        calls.append(k)
        for i in range(A.shape[0]):
            A[i] = A[i] + 1.0
        return A[0] + k

    kernel = looptx.kernel(one)
    for times in (1, 2):
        with pytest.raises(TypeError, match="unsupported operand"):
            kernel(np.ones(3), None)
        assert len(calls) == times


def test_names_of_the_function_that_hide_others():
    def total(A, round):
        sum = A.sum()
        for i in range(A.shape[0]):
            A[i] = A[i] + sum
        return round(A.round()[0])

    kernel = looptx.kernel(total)
    for _ in range(2):
        same(kernel, np.arange(5.0), math.floor)
    assert kernel.report().nests[0].calls == 2


def rooted(A):
    global root
    for i in range(A.shape[0]):
        A[i] = root(A[i])


def test_a_function_that_declares_names_global():
    kernel = looptx.kernel(rooted)
    for _ in range(2):
        same(kernel, np.arange(5.0))
    swap(math.floor)
    try:
        same(kernel, np.arange(5.0))
    finally:
        swap(math.sqrt)
    same(kernel, np.arange(5.0))


def test_a_generator_asks_before_it_begins():
    def each(A):
        for i in range(A.shape[0]):
            A[i] = root(A[i])
        yield A[1]

    kernel = looptx.kernel(each)
    for function in (math.sqrt, math.floor, math.sqrt):
        swap(function)
        A = np.arange(3.0) + 0.5
        assert list(kernel(A)) == [function(1.5)]
        assert list(A) == [function(one) for one in (0.5, 1.5, 2.5)]


class Fickle(types.ModuleType):
    """A module whose function is another object each time that it is asked for."""

    @property
    def double(self):
        def double(x):
            return 2.0 * x

        return double


fickle = Fickle("fickle")


def test_a_name_that_never_means_what_it_meant():
    def twice(A):
        for i in range(A.shape[0]):
            A[i] = A[i] + 1.0
        return fickle.double(A[0])

    kernel = looptx.kernel(twice)
    A = np.zeros(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [kernel(A) for _ in range(3)] == [2.0, 4.0, 6.0]
    assert list(A) == [3.0] * 3


class Held:
    def __init__(self):
        self.A = np.arange(4.0)

    @looptx.kernel
    def grow(self):
        for i in range(self.A.shape[0]):
            self.A[i] = self.A[i] + 1.0


def test_values_with_dots_are_read_once():
    one = Held()
    for _ in range(3):
        one.grow()
    assert list(one.A) == [3.0, 4.0, 5.0, 6.0]
    assert Held.grow.report().nests[0].calls == 3


def __hidden(x):
    return x + 1.0


def most(x):
    return max(__hidden(x), 2.0)


class Mangled:
    @looptx.kernel
    def grow(A):
        for i in range(A.shape[0]):
            A[i] = most(A[i])


def test_a_builtin_of_a_callee_that_a_global_hides():
    global max
    kernel = looptx.kernel(Mangled.grow.py_func)
    same(kernel, np.arange(4.0))
    max = min
    try:
        same(kernel, np.arange(4.0))
    finally:
        del max
    same(kernel, np.arange(4.0))
    assert kernel.report().nests[0].calls == 3


def test_a_name_that_the_function_changes_before_its_first_nest():
    def changes(A, swaps):
        """Behind what only names a number."""
        start = 0
        swap(swaps)
        for i in range(start, A.shape[0]):
            A[i] = root(A[i])

    kernel = looptx.kernel(changes)
    try:
        for function in (math.sqrt, math.sqrt, math.floor, math.sqrt):
            same(kernel, np.arange(5.0), function)
    finally:
        swap(math.sqrt)
    assert kernel.report().nests[0].calls
