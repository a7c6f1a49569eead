"""Lists and tuples that kernels are given: which are taken, and what is put back."""

from __future__ import annotations

import ast
import copy
import itertools
import math
import textwrap
import threading

import numpy as np
import pytest
from kit.calls import calls, same

import looptx
from looptx.model.nests.held import held

pytestmark = pytest.mark.usefixtures("rehearsed")


def ways(text):
    return held(ast.parse(textwrap.dedent(text)), 1, 99, {}, {"reversed": "mine.r"})


@pytest.mark.parametrize(
    ("use", "depths"),
    [
        ("s += p[i]", {"p": 1}),
        ("p[i] += t[i][-1]", {"p": 1, "t": 2}),
        ("for row in t: s += row[0]", {"t": 2}),
        ("for i, row in enumerate(t): s += len(row)", {"t": 2}),
        ("for a, b in t: s += a * b", {"t": 2}),
        ("for (a, b), v in zip(t, p): s += a * b * v", {"t": 2, "p": 1}),
        ("for row in t: a, b = row", {"t": 2}),
        ("s += len(t[i]) + t[0][i]", {"t": 2}),
        ("p[i], p[-1] = p[-1], p[i]", {"p": 1}),
        ("s += len(p)", {"p": 1}),
        ("s += len(p) + len(p[0]) + p[0][i][1] + len(p[i][1])", {"p": 3}),
        ("s += len(p[0]) + p[i]", {}),
        ("for row in t: s += len(row)", {"t": 2}),
        ("s += self.p[i] * self.q[0][i]; self.p[0] = s", {"self.p": 1, "self.q": 2}),
        ("s += self.p[i] + self.p.sum()", {}),
        ("s += p[i][0] + p[i]", {}),
        ("s += p[1:][i]", {}),
        ("s += p[i, 0]", {}),
        ("s += p[None]", {}),
        ("q = p; s += p[i]", {}),
        ("s += sum(p) + max(t[i]) - min(q[1:])", {"p": 1, "t": 2, "q": 1}),
        ("s += sum(p) + p[i][0]", {}),
        ("s += sum(p, 1)", {}),
        ("if i in p and i not in t[i]: s += 1", {"p": 1, "t": 2}),
        ("if p in t: s += p[i]", {"t": 1}),
        ("for x, y in zip(p[1:], q): s += x * y", {"p": 1, "q": 1}),
        ("for x in p[1:]: p[i] = x", {}),
        ("p, q = q, p; s += p[i]", {"p": 1, "q": 1}),
        ("p, q = q, p; s += p[i] + q[i][0]", {}),
        ("p, q = p[i], q[i]", {"p": 1, "q": 1}),
        ("p[:] = q", {}),
        ("p[:] = q; s += q[i]", {"p": 1, "q": 1}),
        ("p[:] = q; s += p[i][0] + q[i]", {"q": 1}),
        ("p[i] = 1; p *= q", {}),
        ("q = p[:]; s += q[i]", {"q": 1}),
        ("q = [0] * n; q[i] = p[i]; p = q", {"p": 1}),
        ("p[i] = p", {}),
        ("del p[i]", {}),
        ("for v in reversed(p): s += p[i]", {}),
        ("s += p[i] + (1 in p)", {"p": 1}),
        ("for row in t: s += row[0]; q = row", {}),
        ("s += f(p) + p[i]", {}),
    ],
)
def test_what_arrays_may_stand_for(use, depths):
    found = ways(f"for i in range(n):\n    {use}\n")
    own = ("p", "q", "t", "self.p", "self.q")
    names = {name: found[name] for name in own if name in found}
    assert names == depths


def test_lists_that_rounds_make_may_take_turns():
    text = "for i in range(n):\n    q = p[:]\n    q[i] = 0\n    p = q\n"
    assert held(ast.parse(text), 1, 99, {}, {}, {"q"}) == {"p": 1, "q": 1}
    assert held(ast.parse(text), 1, 99, {}, {}) == {}


def handed(p, n):
    last = p
    for t in range(n):
        new = [0] * len(p)
        for i in range(len(p)):
            new[i] = last[i - 1] + p[i]
            p[i] = new[i]
        last = new
    return last


def test_an_array_and_a_list_do_not_take_turns():
    kernel = looptx.kernel(handed)
    same(kernel, np.array([1, 2, 4]), 2)
    assert "LX901" not in str(kernel.report())


def hiding(names):
    """Functions of the names of builtins, which do something else with lists."""

    def len(v):
        return v.shape[0]

    def zip(a, b):
        return [(a.size, b[0])]

    def longer(p):
        s = 0.0
        for i in range(2):
            s += p[i] * len(p)
        return s

    def side_by_side(p):
        s = 0.0
        for a, b in zip(p, p):
            s += a * b + p[0]
        return s

    return {"len": longer, "zip": side_by_side}[names]


@pytest.mark.parametrize("name", ["len", "zip"])
def test_functions_of_the_names_of_builtins_are_no_builtins(name):
    kernel = looptx.kernel(hiding(name))
    assert kernel(np.array([1.0, 2.0])) == kernel.py_func(np.array([1.0, 2.0]))
    with pytest.raises(AttributeError, match="list"):
        kernel([1.0, 2.0])


@looptx.kernel
def doubled(p, q):
    s = 0
    for i in range(len(p)):
        s += q[i % 2]
        p[i] = p[i] * 2
    return s


def taken(*values):
    before = calls(doubled)
    doubled(*values)
    return calls(doubled) > before


def test_lists_that_are_not_taken_do_not_keep_others_from_it():
    assert taken([1.0, 2.0], [0.5, 1.5])
    with pytest.warns(RuntimeWarning, match="p is a list of values of type str"):
        assert not taken(["a", "b"], [1, 2])
    assert taken([1.0, 2.0], [0.5, 1.5])
    assert taken([1, 2], [0.5, 1.5])
    assert taken([], [0.5, 1.5])


def totals(rows, seen):
    s = 0
    for row in rows:
        if {row[0]: 1}:
            s += sum(row) + (row[0] in seen)
    return s


def test_what_a_list_is_summed_by_is_no_loop_that_is_told_of():
    kernel = looptx.kernel(totals)
    with pytest.warns(RuntimeWarning):
        assert kernel([[1, 2], [3]], [1]) == 7
    told = str(kernel.report())
    assert told.count("runs as plain Python") + told.count("as written:") == 1, told


def test_one_list_by_two_names_is_left_to_python():
    one = [1.0, 2.0, 4.0]
    assert not taken(one, one)
    assert one == [2.0, 4.0, 8.0]


def test_elements_that_keep_their_value_stay_the_same_objects():
    nan, large = float("nan"), 10**6
    p = [nan, nan]
    kept = looptx.kernel(only_the_first)
    kept(p, 0.5)
    assert p[0] == 0.5 and p[1] is nan
    p = [large, large]
    kept(p, 7)
    assert p == [7, large] and p[1] is large
    assert calls(kept) == 2


@looptx.kernel
def counted(p, low, high, times):
    for _ in range(times):
        for i in range(low, high):
            p[i] += 1


def test_threads_may_store_into_parts_of_one_list():
    p = [0] * 400
    counted(p, 0, 0, 0)
    parts = [(p, low, low + 100, 20_000) for low in range(0, 400, 100)]
    threads = [threading.Thread(target=counted, args=part) for part in parts]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert p == [20_000] * 400
    assert calls(counted) == 5


@looptx.kernel
def turned(t):
    for row in t:
        row[0] = row[1]


def test_lists_in_a_tuple_are_written():
    t = ([1, 2.5], [True, 4])
    turned(t)
    assert repr(t) == "([2.5, 2.5], [4, 4])"
    assert calls(turned) == 1


def looked_up(p, x):
    s = 0
    for i in range(len(x)):
        s += p[x[i]]
    return s


@pytest.mark.parametrize("at", [1, 2, 2**62, 2**63])
@pytest.mark.parametrize("dtype", ["uint64", "uint32"])
@pytest.mark.parametrize("made", [list, tuple, np.array])
def test_subscripts_without_a_sign_raise_what_they_do_in_python(made, dtype, at):
    x = np.array([0, at % 2**32 if dtype == "uint32" else at], dtype)
    same(looptx.kernel(looked_up), made([1.0, 2.0]), x)


def only_the_first(p, value):
    for i in range(len(p)):
        p[i] = value if i == 0 else p[i]


@looptx.kernel
def halved(a, x):
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def test_long_lists_of_which_few_elements_count_stay_lists():
    a = [*range(10**5)]
    assert [halved(a, x) for x in (7, 99_000, -1, 5)] == [7, 99_000, 0, 5]
    (nest,) = halved.report().nests
    assert nest.calls == 2
    assert [*nest.fallbacks.values()] == [2]
    assert [halved(a[:9], x) for x in (7, 2)] == [7, 2]
    assert calls(halved) == 4


def test_long_lists_are_not_looked_through_again_and_again():
    p, names = [1.0] * 1000, ["a"] * 1000
    assert taken(p, p[:2])
    assert not any(taken(names, p[:2]) for _ in range(3))
    # After some calls, what is given is looked at.
    assert any(taken(p, [1, 2]) for _ in range(70))
    assert taken(p, [1, 2])


@looptx.kernel
def divided(p, x, at):
    for i in range(len(at)):
        p[i] = 1.0 / x[at[i]]


class Grid:
    def __init__(self, n):
        self.cells = [[0.0] * n for _ in range(n)]
        self.weights = [0.5, 1, 2]

    @looptx.kernel
    def spread(self, k):
        for i in range(1, len(self.cells)):
            for j in range(len(self.cells[0])):
                self.cells[i][j] += self.cells[i - 1][j] * self.weights[(i + j) % 3] + k
        return self.cells[-1][k]


def test_lists_of_objects_are_taken():
    before = calls(Grid.spread)
    one, other = Grid(4), Grid(4)
    for k in (1, 2, 0):
        assert one.spread(k) == Grid.spread.py_func(other, k)
    assert repr(one.cells) == repr(other.cells)
    assert calls(Grid.spread) == before + 3


def test_what_was_stored_before_an_exception_is_there():
    x = [2.0, 4.0]
    divided([0.5] * 3, x, [0, 1, 0])
    p, q = [0.5] * 3, [0.5] * 3
    for function, into in ((divided.py_func, p), (divided, q)):
        with pytest.raises(IndexError, match="list index out of range"):
            function(into, x, [0, 1, 7])
    assert p == q == [0.5, 0.25, 0.5]


@looptx.kernel(strict=True)
def measured(points):
    s = 0.0
    for x, y in points:
        s += math.hypot(x, y)
    return s


@looptx.kernel
def numbered(deep):
    s = 0
    for i in range(len(deep)):
        for j in range(len(deep[0])):
            for k in range(len(deep[0][0])):
                s += deep[i][j][k]
                deep[i][j][k] = s
    return s


def test_lists_may_be_deeper():
    deep = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    one, two = ast.literal_eval(repr(deep)), ast.literal_eval(repr(deep))
    assert repr(numbered(one)) == repr(numbered.py_func(two))
    assert repr(one) == repr(two)
    assert calls(numbered) == 1


def test_rows_may_be_tuples_or_arrays():
    rows = [(3.0, 4.0), (6.0, 8.0), (5.0, 12.0)]
    for given in (rows, tuple(rows), [*map(list, rows)], np.array(rows)):
        before = calls(measured)
        assert measured(given) == 28.0
        assert calls(measured) > before
    # A list says nothing where it has no elements, and nobody misses anything.
    assert measured([]) == 0.0
    with pytest.raises(looptx.LooptxError, match="points is a list of some that are"):
        measured([(3.0, 4.0), (1.0, 2.0, 3.0)])


def weighted(u, v, w, n):
    for i in range(1, n - 1):
        for j in range(n):
            v[i][j] = (u[i - 1][j] + u[i + 1][j]) * w[j]


@pytest.mark.parametrize(
    "schedule",
    [
        "split i 2",
        "tile i=2 j=3",
        "reorder j i | unroll j 2",
        "skew i j | reorder j i",
        "parallel i",
        "vectorize j",
        "cache_read u at i",
        "cache_read w at i | parallel i",
        "cache_write v at i",
    ],
)
@pytest.mark.parametrize("number", [float, int, bool])
def test_lists_are_taken_in_nests_with_directives(schedule, number):
    kernel = looptx.kernel(schedule)(weighted)
    for n in (0, 1, 2, 3, 5, 7):
        rows = [[number(i * j % 3) for j in range(n)] for i in range(n)]
        numbers = [number(i % 2) for i in range(n)]
        given = rows, [[+number(0)] * n for _ in range(n)], numbers, n
        ours, theirs = copy.deepcopy(given), copy.deepcopy(given)
        before = calls(kernel)
        kernel(*ours)
        weighted(*theirs)
        assert repr(ours) == repr(theirs)
        assert calls(kernel) > before or not n


def doubled_rows(n, row):
    for _ in range(n):
        new = [0] * len(row)
        for j in range(len(row)):
            new[j] = row[j] + row[j]
        row = new
    return row


def trebled_in_turns(n, row):
    new = [0] * len(row)
    for _ in range(n):
        for j in range(len(row)):
            new[j] = row[j] * 2 + row[j]
        row, new = new, row
    return row


def doubled_planes(n, row):
    one, other = [row], [[0] * len(row)]
    for _ in range(n):
        for i in range(len(one)):
            for j in range(len(one[0])):
                other[i][j] = one[i][j] << 1
        one, other = other, one
    return one


def doubled_copies(n, row):
    for _ in range(n):
        new = row[:]
        for j in range(len(row)):
            new[j] += row[j]
        row = new
    return row


@pytest.mark.parametrize(
    "function", [doubled_rows, trebled_in_turns, doubled_planes, doubled_copies]
)
def test_integers_grow_in_lists_that_take_turns(function):
    kernel = looptx.kernel(function)
    for n in (0, 1, 7, 30, 39, 40, 61, 62, 63, 70):
        assert repr(kernel(n, [1, -1])) == repr(function(n, [1, -1]))
    assert calls(kernel)


def sized_by_an_element(a, k):
    s = 0
    for _ in range(k):
        row = [1] * a[0]
        for j in range(a[0]):
            row[j] = a[0]
        a[0] -= 1
        s += len(row)
    return s, a


def listed_in_each_round(x, k):
    s = 0
    for _ in range(k):
        row = list(x)
        for j in range(len(row)):
            row[j] += 1
            s += row[j]
    return s, list(x)


def starred_in_each_round(x, k):
    s = 0
    for _ in range(k):
        row = [*x]
        for j in range(len(row)):
            row[j] += 1
            s += row[j]
    return s, list(x)


def sliced_in_each_round(x, k):
    s = 0
    for _ in range(k):
        row = x[:]
        for j in range(len(x)):
            row[j] += 1
            s += row[j]
    return s, list(x)


def copied_in_each_round(x, k):
    s = 0
    for _ in range(k):
        row = x.copy()
        for j in range(len(x)):
            row[j] += 1
            s += row[j]
    return s, list(x)


@pytest.mark.parametrize(
    ("function", "native"),
    [
        (sized_by_an_element, 2),
        (listed_in_each_round, 2),
        (starred_in_each_round, 2),
        (sliced_in_each_round, 0),
        (copied_in_each_round, 1),
    ],
)
def test_lists_of_each_round_are_as_long_as_there(function, native):
    def outcome(called, made, k):
        try:
            return repr(called(made([3, 1, 2]), k))
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    kernel = looptx.kernel(function)
    kinds = [list, tuple, iter, range, dict.fromkeys, set]
    taken = set()
    for made, k in itertools.product(kinds, (0, 1, 3)):
        before = calls(kernel)
        assert outcome(kernel, made, k) == outcome(function, made, k)
        taken |= {made} if calls(kernel) > before else set()
    assert taken == {*kinds[:native]}


def test_sums_into_lists_keep_their_fractions():
    kernel = looptx.kernel("reassociate c | vectorize j")(summed_rows)
    ours, theirs = [-3], [-3]
    kernel([[2.5]], ours, 1)
    summed_rows([[2.5]], theirs, 1)
    assert repr(ours) == repr(theirs)


def summed_rows(rows, c, n):
    for i in range(len(rows)):
        for j in range(n):
            c[i] += rows[i][j]
