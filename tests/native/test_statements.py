"""Statements on arrays outside of loops: where they are native, and who hears of it."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from kit.calls import same

import looptx
from looptx.cli.text import transform_text
from looptx.errors import LooptxError

pytestmark = pytest.mark.usefixtures("rehearsed")


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def ran(kernel):
    """How often each nest ran natively."""
    return [nest.calls for nest in kernel.report().nests]


@looptx.kernel(strict=True)
def scattered(A, B, x, k):
    if k > 0:
        A[1:] = B[:-1] * 2
    while k > 0:
        A[:, k:] += x[k:]
        k -= 1
    for scale in x.tolist():
        B[0] *= scale
    try:
        B[:, 0] = A[:, 1] / x[0]
    finally:
        A[::-1] = B
    for t in range(2):
        A[t, :] = t
    return k


def test_wherever_they_stand():
    A, B, x = np.ones((5, 4)), np.arange(20.0).reshape(5, 4), np.arange(1.0, 5.0)
    own = [A.copy(), B.copy(), x.copy()]
    assert scattered(A, B, x, 3) == scattered.py_func(*own, 3)
    assert all(map(np.array_equal, (A, B, x), own))
    assert ran(scattered) == [1, 3, 4, 1, 1, 1]


@looptx.kernel(strict=True)
def several(A, x):
    for i in range(A.shape[0]):
        A[i, 0] = 1.0
    A[1:] = 2; x[1:] = 3  # fmt: skip  # noqa: E702
    for y in x.tolist(): A[:, 1] = y  # fmt: skip  # noqa: E701


def test_each_of_several_on_a_line_is_a_nest():
    A, x = np.zeros((3, 3)), np.zeros(3)
    several(A, x)
    assert A.tolist() == [[1, 3, 0], [2, 3, 2], [2, 3, 2]]
    assert ran(several) == [1, 1, 1, 3]


@looptx.kernel(strict=True)
def others(A, B, x):
    for i in range(A.shape[0]):
        A[i, 0] = 1.0
    A[:, 1] = np.sinc(x[:])
    A[:, 2] = B[:, 0]
    B[1:] = x[1:, None] @ x[None, 1:]
    return A


@pytest.mark.parametrize("kind", [np.int8, np.float32, object])
def test_nothing_is_said_of_what_numpy_does_as_well(kind):
    x = np.arange(3.0)
    A, B = np.zeros((3, 3)), np.ones((3, 2)).astype(kind)
    own = A.copy(), B.copy()
    result, wanted = _left(others, A, B, x), _left(others.py_func, *own, x)
    assert result == wanted
    assert A.tolist() == own[0].tolist()
    assert ran(others)[0] > 0


def _left(function, *args):
    try:
        return function(*args).tolist()
    except Exception as error:
        return type(error), str(error)


@looptx.kernel
def foretold(A, c):
    for i in range(A.shape[0]):
        A[i, 0] = 1.0
    A[:, 1:] = c


def test_types_that_are_said_need_not_do_for_statements():
    made = looptx.kernel(signature="float64[:, ::1], _")(foretold.py_func)
    A = np.zeros((2, 3))
    made(A, 2.0)
    assert A.tolist() == [[1, 2, 2], [1, 2, 2]]


def test_a_statement_alone_is_a_kernel():
    @looptx.kernel
    def filled(A, c):
        A[1:-1, 1:-1] = c

    A = np.zeros((4, 4))
    filled(A, 3)
    assert A.sum() == 12
    assert ran(filled) == [1]


def test_an_error_is_numpys():
    @looptx.kernel
    def copied(A, B):
        A[:, 1:] = B[:, :]

    A, B = np.zeros((4, 4)), np.ones((4, 4))
    with pytest.raises(
        ValueError, match=r"could not broadcast .* \(4,4\) into .* \(4,3\)"
    ):
        copied(A, B)
    assert ran(copied) == [0]
    B.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        copied(B, A[:, 1:])


def whole(A, B, x, s):
    A[:] = s * B - x
    A *= s
    for i in range(A.shape[0]):
        A[i] += B[i]


@pytest.mark.parametrize("shape", [(5,), (5, 4), (3, 5, 2)])
def test_the_first_call_tells_how_many_axes_there_are(shape):
    kernel = looptx.kernel(strict=True)(whole)
    A, B = np.ones(shape), np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    x = B[0] / 3 if len(shape) > 1 else B / 3
    own = A.copy()
    kernel(A, B, x, 2.0)
    whole(own, B, x, 2.0)
    assert np.array_equal(A, own)
    assert ran(kernel) == [1, 1, 1]
    with pytest.raises(LooptxError, match="is not one element of the"):
        kernel(A[None], B[None], x, s=2.0)
    own = A.copy()
    kernel = looptx.kernel(whole)
    kernel(A[None], B[None], x, s=2.0)
    whole(own[None], B[None], x, 2.0)
    assert np.array_equal(A, own)
    assert ran(kernel) == [1, 1, 1]


def added_whole(A, x):
    for i in range(len(x)):
        A[:] = x + i
    return x[0][1] + x[..., 0][1]


def test_further_brackets_do_not_say_how_many_axes_there_are() -> None:
    """They may be of what a list holds, and ``...`` is of any number of axes."""
    kernel = looptx.kernel(strict=True)(added_whole)
    x = np.arange(12.0).reshape(3, 4)
    A, own = np.zeros((3, 4)), np.zeros((3, 4))
    assert kernel(A, x) == added_whole(own, x)
    assert np.array_equal(A, own)
    assert ran(kernel) == [1]


SCHEDULED = """
def step(A, B, c):
    # looptx: tile ax0=4 ax1=4
    B[1:-1, 1:-1] = 0.25 * (A[1:-1, 1:-1] + A[2:, :-2])  # both
    # above
    # looptx: parallel ax0
    A[::-1] = B[::-1] + c
    B[0] = 1
"""


@pytest.mark.parametrize("sizes", [(0, 0), (1, 1), (2, 9), (7, 5), (13, 11)])
def test_rewritten_they_are_loops_where_these_mean_the_same(sizes):
    result = transform_text(SCHEDULED, "s.py")
    assert not result.errors
    assert "B[ax0_in, ax1_in] = " in result.text
    for text in ("# both", "# above", "\n    else:\n        A[::-1] = B[::-1] + c\n"):
        assert result.text.count(text) == 1 + (text == "# both")
    for kind, others in itertools.product((np.float64, np.int32), (0, 1, 2)):
        A = np.arange(float(np.prod(sizes))).reshape(sizes)
        B = np.ones((sizes[0] + others // 2, sizes[1] + others % 2)).astype(kind)
        left = []
        for text in (SCHEDULED, result.text):
            names = {}
            exec(text, names)
            given = A.copy(), B.copy(), 0.5
            left.append((_left(names["step"], *given), *given))
        for one, two in zip(*left, strict=True):
            assert np.array_equal(one, two)


def test_directives_name_their_loops():
    @looptx.kernel("tile n0.ax0=4 n0.ax1=4", "parallel n2.ax0", strict=True)
    def step(A, B, c):
        B[1:-1, 1:-1] = A[1:-1, 1:-1] + A[2:, :-2]
        for t in range(2):
            A[0, t] = c
        A[::-1] += B[:, :]

    A, B = np.ones((9, 8)), np.zeros((9, 8))
    own = A.copy(), B.copy()
    step(A, B, 2.0)
    step.py_func(*own, 2.0)
    assert np.array_equal(A, own[0])
    assert np.array_equal(B, own[1])
    assert step.schedule == ("tile n0.ax0=4 n0.ax1=4", "parallel n2.ax0")
    step.validate()


def test_a_file_has_to_say_how_many_axes_directives_name():
    text = "def f(A, C{}):\n    # looptx: tile ax0=4 ax1=4\n    C[{}] = 2.0 * A\n"
    (error,) = transform_text(text.format("", ":"), "f.py").errors
    assert (error.code, error.message) == ("LX104", "no loop is named `ax1`")
    assert error.hint.startswith("where the array has more axes say so")
    for said in (text.format("", ":, :"), text.format(': "float64[:, :]"', ":")):
        assert "for ax1_in in" in transform_text(said, "f.py").text


def test_a_refused_schedule_has_its_witness():
    with pytest.raises(LooptxError, match=r"LX201[^\0]*runs before"):

        @looptx.kernel("reorder ax0 i", strict=True)
        def step(A, n):
            for i in range(1, n):
                A[i, :-1] = A[i - 1, 1:]

        step.inspect_python()


@looptx.kernel(strict=True)
def outer(x, y, C):
    C[:, :] = x[:, None] * y[None, :]


@pytest.mark.parametrize("sizes", [(0, 0), (1, 1), (2, 9), (7, 5)])
def test_the_loops_of_a_statement_are_no_nests_of_their_own(sizes):
    """Those inside of a statement on two axes run where that runs, or not at all."""
    x, y = (np.arange(1.0, size + 1.0) for size in sizes)
    C = np.zeros(sizes)
    before = sum(ran(outer))
    outer(x, y, C)
    assert np.array_equal(C, x[:, None] * y)
    assert (len(ran(outer)), sum(ran(outer))) == (1, before + 1)


@looptx.kernel
def frames(y, length, hop):
    out = np.zeros((1 + (len(y) - length) // hop, length))
    for i in range(out.shape[0]):
        start = i * hop
        out[i, :] = np.sort(y[start : start + length])
    return out


def test_a_statement_that_numpy_runs_in_a_loop_leaves_it_to_python():
    y = np.arange(17.0)
    with pytest.warns(RuntimeWarning, match="LX504 not compiled natively: the slice"):
        assert np.array_equal(frames(y, 5, 3), frames.py_func(y, 5, 3))


def test_axes_of_one_position_are_repeated_only_along_longer_ones():
    def kernel(A, w, out):
        k = w.shape[1]
        for j in range(A.shape[1] - k + 1):
            out[:, j] = np.sum(A[:, j : j + k] * w, axis=1)

    rng = np.random.default_rng(0)
    compiled = looptx.kernel(kernel)
    for columns in (1, 2, 5):
        A, w = rng.random((4, 7)), rng.random((4, columns))
        one, two = np.zeros((2, 4, 7))
        kernel(A, w, one)
        compiled(A, w, two)
        assert one.tobytes() == two.tobytes()
    (nest,) = compiled.report().nests
    assert nest.calls == 3, compiled.report()


def smoothed(x, n):
    w = x
    for _ in range(n):
        x[1:] += w[:-1]


def scaled(x, n):
    w = x if n < 9 else x.copy()
    for i in range(min(n, len(x))):
        x /= w[i] + 1.0


def of_rows(x, n):
    first = x[:1]
    for i in range(n):
        if n % 2 == 0:
            x[i:] = first[0] * 2 + i


def by_an_own_function(x, n):
    def add(a, b):
        a[1:] += b[:-1]

    for _ in range(n):
        add(x, x)


@pytest.mark.parametrize("function", [smoothed, scaled, of_rows, by_an_own_function])
def test_statements_on_arrays_see_other_names_of_what_they_write(function) -> None:
    kernel = looptx.kernel(function)
    for n in (0, 1, 2, 7):
        for count in (0, 1, 2, 4):
            same(kernel, np.arange(n) + 1.5, count)


@looptx.kernel(strict=True)
def as_long_as_another(out):
    s = 0.0
    for i in range(min(len(out), 4)):
        t = np.empty(len(out))
        for k in range(len(out)):
            t[k] = k * i
        for k in range(len(out)):
            s += out[k] * t[k]
    return s


def test_an_array_that_a_loop_makes_is_as_long_as_another_says() -> None:
    for n in (0, 1, 7):
        same(as_long_as_another, np.arange(float(n)))


@looptx.kernel
def masked_by_one(A, x, m):
    for _ in range(m):
        near = x[:1] < 4
        A[near] = 0


@looptx.kernel
def masked_by_fewer(A, x, m):
    for _ in range(m):
        A[x < 4] = 0


@pytest.mark.parametrize("size", [0, 1, 7])
@pytest.mark.parametrize("kernel", [masked_by_one, masked_by_fewer])
def test_a_mask_of_one_position_tells_of_no_other(kernel, size):
    A, x = np.ones(size), np.ones(min(size, 1))
    own = A.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = _left(kernel, A, x, 2)
    assert found == _left(kernel.py_func, own, x, 2)
    assert A.tobytes() == own.tobytes()


@looptx.kernel
def added_to_truths(flags, x):
    for i in range(flags.shape[0]):
        flags[i, 1:] += x[1:]
    return flags


@looptx.kernel
def one_added_to_truths(flags, x):
    for i in range(flags.shape[0]):
        row = flags[i]
        row += 1
    return flags


@looptx.kernel
def masked_truths(flags, x):
    for _ in range(2):
        flags[flags == x[0]] += 1
    return flags


@looptx.kernel
def truths_of_truths(flags, x):
    for i in range(flags.shape[0]):
        flags[i, 1:] = x[1:] > 1
        flags[i, :1] |= x[1] > 0
    return flags


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float64, np.float32, bool])
@pytest.mark.parametrize(
    "kernel", [added_to_truths, one_added_to_truths, masked_truths, truths_of_truths]
)
def test_truths_take_no_numbers_that_an_operator_makes(kernel, kind):
    x = np.array([0, 1, 2, 0, 3]).astype(kind)
    flags = np.zeros((4, 5), bool)
    own = flags.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = _left(looptx.kernel(kernel.py_func), flags, x)
    assert found == _left(kernel.py_func, own, x)
    assert flags.tobytes() == own.tobytes()
