"""Kernels that call functions of the user: which, and what becomes of the calls."""

from __future__ import annotations

import functools
import math
import shutil
import types

import numpy as np
import pytest
from kit.calls import same as alike

import looptx
from looptx.cli.text import transform_text
from looptx.errors import LooptxError
from looptx.model.callees.callee import BEHIND, told
from looptx.native.ahead.extension import extension_text
from native import callees_elsewhere as elsewhere
from native.callees_elsewhere import top

pytestmark = [
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
    ),
    pytest.mark.usefixtures("rehearsed"),
]

SHIFT = 1.0


def shifted(x, by=0.25):
    return x + by * SHIFT


def third(x):
    return x / 3


def made(factor):
    def times(x):
        return x * factor - SHIFT

    return times


twice, thrice = made(2), made(3.0)


@looptx.kernel
def summed(x, n=3):
    total = 0.0
    if n > 2:
        total = x + n
    return total


@looptx.kernel(strict=True)
def calls(a, b):
    for i in range(a.shape[0]):
        b[i] = shifted(a[i]) + twice(a[i]) * thrice(b[i])
        b[i] -= elsewhere.length(a[i], b[i]) + top(a[i], summed(b[i]))


def same(kernel, *arrays, native=1):
    """Run a kernel and its function; the arrays must be equal, bit for bit."""
    ours = [array.copy() for array in arrays]
    theirs = [array.copy() for array in arrays]
    before = sum(nest.calls for nest in kernel.report().nests)
    kernel(*ours)
    kernel.py_func(*theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert one.tobytes() == other.tobytes()
    calls = sum(nest.calls for nest in kernel.report().nests) - before
    assert calls == native


def numbers(n):
    return np.random.default_rng(n).normal(size=n), np.linspace(-1.0, 2.0, n)


@pytest.mark.parametrize("n", [0, 1, 7])
def test_functions_of_all_kinds_run_natively(n):
    same(calls, *numbers(n))


def other(x, by=0.5):
    return x * by


def test_what_is_replaced_is_noticed(monkeypatch):
    given = numbers(7)
    same(calls, *given)
    space = globals()
    monkeypatch.setitem(space, "shifted", other)
    same(calls, *given)
    monkeypatch.setattr(other, "__defaults__", (7.5,))
    same(calls, *given)
    monkeypatch.setattr(other, "__code__", third.__code__)
    same(calls, *given)
    monkeypatch.undo()
    monkeypatch.setitem(space, "SHIFT", -3.5)
    same(calls, *given)
    monkeypatch.setitem(space, "SHIFT", np.float32(0.1))
    same(calls, *given)
    monkeypatch.setattr(elsewhere, "FACTOR", 11)
    same(calls, *given)
    monkeypatch.setattr(elsewhere, "scaled", third)
    same(calls, *given)
    monkeypatch.setattr(elsewhere, "math", types.SimpleNamespace(sqrt=abs))
    with pytest.raises(LooptxError, match=r"`length` calls `math\.sqrt`"):
        calls(*given)
    monkeypatch.undo()
    monkeypatch.setattr(elsewhere, "max", min, raising=False)
    same(calls, *given)
    monkeypatch.undo()
    same(calls, *given)


def test_what_a_closure_holds_is_noticed(monkeypatch):
    given = numbers(7)
    (cell,) = (x for x in twice.__closure__ if x.cell_contents == 2)
    same(calls, *given)
    monkeypatch.setattr(cell, "cell_contents", 5)
    same(calls, *given)


def again(x):
    return again(x - 1) if x > 0 else x


def looping(x):
    for y in {1, 2, 3}:
        x += y
    return x


def reading(a, i):
    return a[i]


SHIFTS = np.arange(3.0)


def around(a, i):
    return SHIFTS[i] + a[i]


def sliced(a, i):
    return a[i:]


def whole(a, i):
    return a[i] + a


def rows(a, i):
    return a[i] + a[i, 0]


def counting(x):
    for k in range(3):
        k += 1
        x += k
    return x


def printing(x):
    print(x)
    return x


def listed(**x):
    return x["k"]


def silent(x):
    if x > 0:
        return x


def unset(x):
    if x > 0:
        y = 1
    return y


def through(x):
    return again(x)


def call(x):
    return sorted(x)


def yields(x):
    yield x


def catches(x):
    try:
        return x
    finally:
        x = 1


cached = functools.lru_cache(third)
lambdas = eval("lambda x: x")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("again(a[i])", "`again` calls itself"),
        ("through(a[i])", "`through` calls `again`, which calls itself"),
        ("looping(a[i])", "`looping` has a `for` that is not `for NAME in range(...)`"),
        ("counting(a[i])", "`counting` assigns the variable `k` of a loop in it"),
        ("reading(a + 1, i)", "`reading(a + 1, i)` may read and write anything"),
        ("around(a, i)", "`around` uses the `SHIFTS` of its module"),
        ("sliced(a, i)", "the slice `i:`, which is several elements"),
        ("whole(a, i)", "`a` is float64[::1]"),
        ("rows(a, i)", "`a[i, 0]` is not one element of the 1-d array"),
        ("printing(a[i])", "`printing` contains `print(x)`"),
        ("listed(k=a[i])", "`listed` takes any number of arguments"),
        ("silent(a[i])", "`silent` may end without `return`, which gives None"),
        ("unset(a[i])", "`unset` may read `y` before it is assigned"),
        ("call(a[i])", "`call` calls `sorted`"),
        ("yields(a[i])", "`yields` is a generator"),
        ("catches(a[i])", "`catches` catches exceptions"),
        ("lambdas(a[i])", "`<lambda>` has no source that can be found"),
        ("cached(a[i])", "`cached(a[i])` may read and write anything"),
        ("third(a[i], 2)", "`third(a[i], 2)` may read and write anything"),
        ("third(y=a[i])", "`third(y=a[i])` may read and write anything"),
    ],
)
def test_what_cannot_be_native_says_so(text, why, tmp_path):
    lines = "def kernel(a, b):\n    for i in range(a.shape[0]):\n"
    file = tmp_path / "kernels.py"
    file.write_text(f"{lines}        b[i] = {text}\n", encoding="utf-8")
    space = dict(globals())
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), space)
    kernel = looptx.kernel(strict=True)(space["kernel"])
    with pytest.raises(LooptxError) as found:
        kernel(*numbers(3))
    assert found.value.code == "LX504"
    assert found.value.message == f"not compiled natively: {why}"
    assert found.value.place.line == 3
    assert found.value.hint


def test_the_place_of_what_is_to_blame_is_told():
    @looptx.kernel(strict=True)
    def kernel(a):
        for i in range(a.shape[0]):
            a[i] = 1 + looping(a[i])

    with pytest.raises(LooptxError) as found:
        kernel(np.zeros(3))
    line = looping.__code__.co_firstlineno + 1
    why = f"that is in line {line} of test_callees.py; `looping(a[i])` calls it"
    assert found.value.detail == (why,)
    assert found.value.place.column == 24


def gathered(x, weight):
    total = 0.0
    total += x * weight
    total -= weight
    return total


def changing(x, weight):
    x += weight
    return x


def test_what_changes_in_place_may_be_an_argument():
    """Only a number stays what it was; an argument without a type may be an array."""

    @looptx.kernel(strict=True)
    def own(a, weight):
        for i in range(a.shape[0]):
            a[i] = gathered(a[i], weight) + changing(a[i], weight)

    same(own, np.arange(5.0), np.array(2.5)[()])

    @looptx.kernel(strict=True)
    def given(a, weight):
        for i in range(a.shape[0]):
            a[i] = changing(weight, a[i])

    with pytest.raises(LooptxError, match="may read and write anything"):
        given(np.zeros(3), 1.5)


def between(x, low, high=1.0):
    if x < low:
        return low
    if x > high:
        return high
    return x


def ordered(a, b):
    if b < a:
        a, b = b, a
    return a, b


@looptx.kernel("tile i=4 j=3", "parallel i", "vectorize jj", strict=True)
def scheduled(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            low, high = ordered(a[i, j], 0.5)
            b[i, j] = between(a[i, j] * 2, low=low) + ordered(high, b[i, j])[0]


@pytest.mark.parametrize("n", [0, 1, 7, 16])
def test_loops_around_calls_are_scheduled(n):
    a = np.random.default_rng(n).normal(size=(n, n + 2))
    a[n // 2 :, 0] = np.nan
    same(scheduled, a, a[::-1].copy())
    report = str(scheduled.report())
    assert "without explicit vectors" not in report and "in the order" not in report
    assert scheduled.validate().compared


def test_written_text_keeps_the_calls():
    text = scheduled.inspect_python()
    assert "low, high = ordered(a[ii, jj], 0.5)" in text
    assert "between(a[ii, jj] * 2, low=low)" in text


def halved(x):
    return x * 0.5 if x > 0 else x


@looptx.kernel("reassociate m s", "vectorize i", strict=True)
def collected(a):
    m, s = np.float64(-1e9), np.float64(0.0)
    for i in range(a.shape[0]):
        m = max(m, halved(a[i] + 1.0))
        s += halved(a[i] * 4.0)
    return m, s


@pytest.mark.parametrize("n", [0, 1, 7, 64])
def test_what_calls_give_is_collected_in_vectors(n):
    a = np.arange(n) * 1.0 - 3.0
    assert collected(a) == collected.py_func(a)
    assert "without explicit vectors" not in str(collected.report())


MODULE = """\
import math

import numpy as np

SCALE = 3

def known(x, by=2):
    y = x * by
    return math.fabs(y) - SCALE

def late(x):
    return x

late = late

def own(x):
    return x

def kernel(a: "float64[:]", b: "float64[:]"):
    # looptx: split i 4
    for i in range(a.shape[0]):
        b[i] = {}
{}"""


def test_functions_of_a_file_are_read():
    text = MODULE.format("known(a[i]) + own(b[i])", "")
    found = transform_text(text, "m.py", validate=True)
    assert found.validated
    assert "b[ii] = known(a[ii]) + own(b[ii])" in found.text
    ahead = extension_text(text, "m.py")
    assert len(ahead.nests) == 1 and not ahead.left and "fabs" in ahead.text


@pytest.mark.parametrize(
    ("call", "more"),
    [
        ("late(a[i])", ""),
        ("own(a[i])", "own = known\n"),
        ("own(a[i])", "def change():\n    global own\n    own = known\n"),
        ("own(a[i])", "globals()['own'] = known\n"),
    ],
)
def test_functions_that_are_bound_again_are_not(call, more):
    text = MODULE.format(call, more)
    with pytest.raises(LooptxError, match="may read and write anything"):
        extension_text(text, "m.py")


LIMITED = """
LIMIT = 3

def most(x, limit=LIMIT):
    return limit if x > limit else x

def kernel(a: "float64[:, :]", b: "float64[:, :]"):
    n, m = a.shape
    # looptx: reorder j i
    for i in range(n):
        for j in range(m):
            b[i, j] = most(a[i, j])
{}"""


def test_a_default_may_be_a_number_that_the_module_names_once():
    found = transform_text(LIMITED.format(""), "m.py", validate=True)
    assert found.validated and "b[i, j] = most(a[i, j])" in found.text
    (error,) = transform_text(LIMITED.format("LIMIT = 4\n"), "m.py").errors
    assert error.code == "LX203"


def test_a_name_that_the_kernel_hides_is_another_one():
    text = MODULE.format("known(a[i])", "").replace(
        "    # looptx", "    SCALE = 7\n    # looptx"
    )
    with pytest.raises(LooptxError, match="reads a `SCALE` of its module"):
        extension_text(text, "m.py")


def test_a_name_of_a_caller_is_none_of_a_function():
    @looptx.kernel(strict=True)
    def kernel(a, by, SHIFT):
        for i in range(a.shape[0]):
            x = by + SHIFT
            a[i] = shifted(x * a[i]) - x

    for by, shift in ((2, 5), (0.5, -1)):
        ours, theirs = np.arange(3.0), np.arange(3.0)
        kernel(ours, by, shift)
        kernel.py_func(theirs, by, shift)
        assert ours.tobytes() == theirs.tobytes()
    assert math.isfinite(ours[0])


magnitude, root = abs, math.sqrt
scaled = lambda x, by=0.5: x * by + SHIFT  # noqa: E731


class Shapes:
    @staticmethod
    def half(x):
        return third(x) * 1.5

    def whole(x):
        return x + SHIFT

    @classmethod
    def bound(cls, x):
        return x


@looptx.kernel(strict=True)
def named_otherwise(a, b):
    for i in range(a.shape[0]):
        b[i] = magnitude(b[i]) + root(magnitude(a[i])) + scaled(a[i])
        b[i] += Shapes.half(a[i]) * Shapes.whole(b[i])


def test_functions_may_have_any_name(monkeypatch):
    given = numbers(7)
    same(named_otherwise, *given)
    space = globals()
    monkeypatch.setitem(space, "magnitude", third)
    monkeypatch.setitem(space, "root", abs)
    same(named_otherwise, *given)
    monkeypatch.setattr(Shapes, "half", staticmethod(other))
    same(named_otherwise, *given)
    monkeypatch.setattr(Shapes, "whole", lambda x: x * 7)
    same(named_otherwise, *given)
    monkeypatch.setattr(scaled, "__defaults__", (3.25,))
    same(named_otherwise, *given)
    monkeypatch.setitem(space, "scaled", lambda x: x - SHIFT)
    same(named_otherwise, *given)
    monkeypatch.setattr(Shapes, "half", Shapes.bound)
    with pytest.raises(LooptxError, match="may read and write anything"):
        named_otherwise(*given)


def over(x):
    return 1 if x > 0.25 else 0


@pytest.mark.parametrize("directive", ["parallel i", "vectorize i"])
@pytest.mark.parametrize("n", [0, 1, 7, 64])
def test_integers_that_calls_give_add_in_any_order(directive, n):
    @looptx.kernel(directive, strict=True)
    def counted(a):
        count = 0
        for i in range(a.shape[0]):
            count += over(a[i])
        return count

    a = np.random.default_rng(n).normal(size=n)
    assert counted(a) == counted.py_func(a)
    assert sum(nest.calls for nest in counted.report().nests) == 1


def test_floats_that_calls_give_do_not():
    @looptx.kernel("parallel i")
    def collected(a):
        total = 0.0
        for i in range(a.shape[0]):
            total += over(a[i]) * 0.5
        return total

    with pytest.raises(LooptxError) as found:
        collected(np.ones(3))
    assert found.value.code == "LX202"


def ratio(a, b):
    q = a / b
    if q > 0.5:
        return q * 2
    return math.log(a + 1.5)


@looptx.kernel(strict=True)
def in_loops_that_end(a, b, t):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            k = j
            while ratio(k + 1, n + 1) < 0.7 and ratio(a[j], 3.0) < 5:
                k += 1
                if k == 3:
                    continue
                if ratio(a[k % n], 2.0) > 0.5:
                    t[0] += 1
                    break
            else:
                if k > 3:
                    break
                t[0] += 10
                continue
            t[0] += 100
        else:
            t[0] += 1000
        while shifted(b[i]) < 0.5:
            b[i] += 0.125


@pytest.mark.parametrize("n", [0, 1, 2, 7, 13])
def test_calls_decide_when_loops_end(n):
    a, b = numbers(n)
    same(in_loops_that_end, abs(a), b, np.zeros(1))


@looptx.kernel(strict=True)
def raises_in_a_test(a, b):
    for i in range(a.shape[0]):
        b[i] = 7
        k = 3
        while ratio(1, k - i) < 5 and k > 0:
            b[i] += k
            k -= 1


def test_what_a_call_raises_in_a_test():
    for n in (1, 4, 7):
        left = []
        for function in (raises_in_a_test, raises_in_a_test.py_func):
            a, b = numbers(n)
            with pytest.raises(ZeroDivisionError):
                function(a, b)
            left.append(b.tobytes())
        assert left[0] == left[1]


def test_messages_have_the_names_of_callees_and_all_else_as_it_is():
    text = f"`d{BEHIND}f 2 1 * a of b` is not one element of the 2-d array"
    assert told(text) == "`d * a of b` is not one element of the 2-d array"


def unread(x, y):
    kept = -y * x  # noqa: F841
    return 3


def unread_at_times(x, y):
    if x > 0:
        kept = -y * x  # noqa: F841
        return 4
    return 3


def unread_everywhere(A, B):
    for i in range(A.shape[0]):
        B[i] = unread(A[i], 2)


def unread_somewhere(A, B):
    for i in range(A.shape[0]):
        B[i] = unread_at_times(A[i], 2)


@pytest.mark.parametrize("function", [unread_everywhere, unread_somewhere])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "bool", "float64"])
def test_what_is_computed_and_not_read_raises(function, dtype):
    kernel = looptx.kernel(function)
    for n in (0, 1, 5):
        alike(kernel, np.ones(n, dtype), np.zeros(n))
        alike(kernel, np.zeros(n, dtype), np.zeros(n))
