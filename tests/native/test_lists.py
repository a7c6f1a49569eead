"""Lists that loops fill and empty run natively, and hold what Python's hold."""

from __future__ import annotations

import copy
import itertools
from collections import deque
from typing import Any

import numpy as np
import pytest
from kit.calls import calls, same
from semantics.table import exactly

import looptx
from native import kernels_lists
from native.kernels_lists import CASES, PYTHON, both, some_more, values

SIZES = (0, 1, 2, 3, 7, 13, 30)

pytestmark = pytest.mark.usefixtures("rehearsed")


def alike(kernel: Any, *given: Any) -> None:
    """Check that a kernel returns and leaves what its function does, to the type."""
    found = []
    for function in (kernel, kernel.py_func):
        args = copy.deepcopy(given)
        try:
            result: Any = function(*args)
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
        found.append((exactly(result), exactly(args)))
    assert found[0] == found[1]


@pytest.mark.parametrize("function", CASES, ids=lambda x: x.__name__)
def test_lists_are_as_pythons(function: Any) -> None:
    kernel, native = looptx.kernel(function), 0
    for make, n in itertools.product(CASES[function], SIZES):
        before = calls(kernel)
        alike(kernel, *make(n))
        native += calls(kernel) > before
    assert native, kernel.report()


@pytest.mark.parametrize(
    ("function", "listed"),
    [
        (kernels_lists.positions, False),
        (kernels_lists.pairs_of_one_type, False),
        (kernels_lists.of_its_name, False),
        (kernels_lists.one_in_each_round, False),
        (kernels_lists.pairs_of_two_types, True),
        (kernels_lists.as_another_type, True),
        (kernels_lists.the_same_array_again, True),
        (kernels_lists.array_and_list, True),
    ],
)
def test_lists_of_which_arrays_are_made_are_none(function: Any, listed: bool) -> None:
    kernel = looptx.kernel(function)
    kernel(values(7))
    assert (".append(" in str(kernel.inspect_cython())) is listed


@pytest.mark.parametrize("function", PYTHON, ids=lambda x: x.__name__)
def test_what_is_not_known_is_left_to_python(function: Any) -> None:
    kernel = looptx.kernel(function)
    for n in SIZES:
        alike(kernel, values(n))
    assert not calls(kernel)


def test_one_list_by_two_names_is_left_to_python() -> None:
    kernel = looptx.kernel(both)
    for function in (kernel, both):
        one: list[Any] = []
        function(np.ones(2), one, one)
        assert one == [0, 1.0, 1, 1.0]
    assert not calls(kernel)
    assert "one is no list, or one that has two names" in str(kernel.report())


class Counting(list[Any]):
    """A list that says more."""

    def append(self, value: Any) -> None:
        super().append((value, value))


@pytest.mark.parametrize("kind", [Counting, deque, lambda: deque(maxlen=2)])
def test_nothing_but_a_list_is_taken_for_one(kind: Any) -> None:
    kernel = looptx.kernel(some_more)
    ours, theirs = kind(), kind()
    assert kernel(np.ones(3), ours) == some_more(np.ones(3), theirs)
    assert list(ours) == list(theirs)
    assert not calls(kernel)


def test_what_was_in_a_list_stays_what_it_was() -> None:
    kernel, known = looptx.kernel(some_more), [object(), [1], float("nan")]
    more = [*known]
    kernel(np.ones(4), more)
    assert all(one is two for one, two in zip(more, known, strict=False))
    assert more[3:] == [0, 1, 2, 3]
    assert calls(kernel) == 1


@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "uint16", "uint64", "int64", "float16", "float32", "complex128"],
)
def test_elements_keep_the_types_of_arrays(dtype: str) -> None:
    def kept(a):
        out = []
        for i in range(len(a)):
            if i != 2:
                out.append((a[i], i))
        last = []
        for i in range(len(a)):
            last.append(a[i])
        return out, last

    kernel = looptx.kernel(kept)
    for n in SIZES:
        alike(kernel, np.arange(n).astype(dtype))
    assert calls(kernel) == 2 * len(SIZES)


def test_a_list_that_outgrows_a_page_is_whole() -> None:
    kernel = looptx.kernel(kernels_lists.twice)
    a = np.zeros(100_000)
    assert kernel(a) == kernels_lists.twice(a)


def test_a_list_that_grows_beyond_its_memory_is_pythons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from looptx.source.spelling.lists import spelled

    monkeypatch.setattr(spelled, "LONGEST", 20)

    def long(a, out):
        for i in range(len(a)):
            a[i] += 1
            out.append(i)
        return len(out)

    def queue(n):
        q = deque([1])
        k = 0
        while k < n:
            q.append(k)
            k += q.popleft() * 0 + 1
        return k

    for function, make in ((long, lambda n: (np.ones(n), [])), (queue, lambda n: (n,))):
        kernel = looptx.kernel(function)
        for n in (0, 1, 18, 19, 20, 21, 50):
            alike(kernel, *make(n))
        assert 3 < calls(kernel) < 7, kernel.report()


def test_another_kind_of_list_first() -> None:
    kernel = looptx.kernel(five_more)
    kernel(deque())
    found: list[int] = []
    kernel(found)
    assert found == [0, 1, 2, 3, 4]


def five_more(v):
    for i in range(5):
        v.append(i)


def test_lists_of_tasks_are_filled_once() -> None:
    def found(a):
        out = []
        for i in range(len(a)):
            out.append(i * 2)
        return out

    def taken(a):
        st = []
        s = 0
        for i in range(len(a)):
            st.append(i)
            s += st.pop()
        return s

    for function in (found, taken):
        assert looptx.kernel(function).on()(np.ones(4)) == function(np.ones(4))


def test_what_is_raised_in_place_of_tasks_has_nothing_around_it() -> None:
    def beyond(a, n):
        out = []
        for i in range(n):
            st = [(i, 0.0)]
            while st:
                k, d = st.pop()
                if a[k] > 0:
                    a[k] -= 2
                    st.append((k - 1, d + a[k]))
                    st.append((k + 1, d * 0.5))
            out.append((i, len(st)))
        return out

    with pytest.raises(IndexError) as caught:
        looptx.kernel(beyond).on()(np.array([0, 2, 0, 2, 1, 3, 4], "i1"), 8)
    assert caught.value.__context__ is None


def test_names_are_those_of_the_source() -> None:
    kernel = looptx.kernel(kernels_lists.far_back)
    same(kernel, values(4))
    said = str(kernel.report())
    assert "`st.pop(...)`, which is Python's" in said
    assert "_looptx" not in said


@looptx.kernel
def picked(x, n):
    out = []
    total = 0
    for i in range(n):
        out.append(i)
        if i > 150 or n < 5:
            total += out[x[i % 2]]
    return total


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "bool", "float64"])
def test_what_tells_an_element_is_an_integer_of_any_width(dtype: str) -> None:
    places = [(0, 0), (1, 0), (3, 1), (200, 120)]
    if dtype in ("int8", "int64"):
        places += [(200, -1), (200, -100)]
    for n, at in places:
        same(picked, np.array([at, 0]).astype(dtype), n)
