"""Nests inside of loops that do not run natively, do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.calls import imported, outcome, same

import looptx
from looptx.native.call.dispatch import VAIN

pytestmark = pytest.mark.usefixtures("rehearsed")


def collected(A, n, out):
    for k in range(n):
        s = 0.0
        for i in range(A.shape[0]):
            s += A[i] * k
        out.insert(0, s)
    return out


def told(A, n, tell):
    for k in range(n):
        tell(k)
        for i in range(A.shape[0]):
            for j in range(A.shape[1]):
                A[i, j] += k


def tried(A, B):
    for k in range(len(B)):
        try:
            for i in range(B[k]):
                A[i] += k
        except IndexError:
            A[0] = -k


def kept(A, files):
    for one in files:
        with open(one) as file:
            for line in file:
                k = int(line)
                while k > 0:
                    A[k % len(A)] += 1
                    k //= 2


def swept(A, tell):
    rounds = 0
    while rounds < 4:
        tell(rounds)
        for i in range(1, len(A)):
            A[i] += A[i - 1]
        rounds += 1
    return rounds


def indexed(A, s):
    """Its second index has a loop of its own where the first one has."""
    t = 0.0
    i = j = 0
    for i, j in np.ndindex(A.shape):
        for k in range(3):
            t += A[i, j] * k
        s.insert(0, t + i)
    return t


def doubled(A, B, s):
    for i in range(A.shape[0]):
        A[i] += 2 * B[i]
        A[:, i] = s[i]
    A[1:, :-1] = s


def named(A, n):
    """What a loop adds to is a text, or a number: only values tell."""
    for k in range(n):
        n = n + n * 0
        for i in range(A.shape[0]):
            A[i] += k
    return n


def followed(A, starts, turns):
    """Whether a name has a value is known only where its loop has had a round."""
    for k in range(len(starts)):
        at = starts[k]
        for _ in range(turns):
            s = 0.0
            last = at
            for i in range(3):
                s += A[at + i]
            if s > 2:
                break
            at += 1
        t = 0.0
        for i in range(3):
            t += A[last + i] * s
        A[k] = t


@pytest.mark.parametrize("n", [0, 1, 2, 7])
@pytest.mark.parametrize("rows", [0, 1, 5])
def test_the_loops_inside_are_native(n: int, rows: int) -> None:
    A = np.random.default_rng(n).random(rows)
    kernel = looptx.kernel(collected)
    for _ in range(2):
        assert kernel(A, n, []) == collected(A, n, [])
    outer, *inner = kernel.report().nests
    reason = "`out.insert(0, s)` may read and write anything"
    assert dict(outer.fallbacks) == {reason: 2}
    assert [nest.calls for nest in inner] == ([2 * n] if n else [])
    assert [nest.name for nest in inner] == (["collected.n0.0"] if n else [])


def test_headers_and_statements_hold_no_others() -> None:
    """Of a header or a statement with several loops, none is a nest of its own."""
    kernel, A = looptx.kernel(indexed), np.arange(20.0).reshape(4, 5)
    one: list[float] = []
    two: list[float] = []
    assert kernel(A, one) == indexed(A, two)
    assert one == two
    found = [(nest.name, nest.calls) for nest in kernel.report().nests]
    assert found == [("indexed.n0", 0), ("indexed.n0.0", 20)]

    for size in 1, 3:
        kernel = looptx.kernel(doubled)
        same(
            kernel,
            np.ones((size, size)),
            np.ones((size, size)),
            dict.fromkeys(range(size), 2.0),
        )
        names = [nest.name for nest in kernel.report().nests]
        assert names == ["doubled.n0", "doubled.n0.0", "doubled.n1"]


def test_what_calls_python_stays_around_them() -> None:
    said: list[int] = []
    kernel = looptx.kernel(told)
    same(kernel, np.ones((3, 4)), 3, said.append)
    assert said == [0, 1, 2, 0, 1, 2]
    outer, inner = kernel.report().nests
    assert "may read and write anything" in str(outer)
    assert inner.calls == 3
    assert not inner.fallbacks


def test_what_is_raised_inside_is_caught_around() -> None:
    kernel = looptx.kernel(tried)
    same(kernel, np.zeros(4), np.array([2, 5, 0, 4]))
    (inner,) = kernel.report().nests
    assert (inner.line, inner.calls) == (tried.__code__.co_firstlineno + 3, 3)
    assert kernel.report().left[0].partition("LX301 ")[2].startswith("`try`")


def test_files_stay_around_them(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_text("12\n7\n0\n", "utf-8")
    kernel = looptx.kernel(kept)
    same(kernel, np.zeros(3, int), [path, path])
    lines, rounds = kernel.report().nests
    assert (lines.calls, rounds.calls) == (0, 6)


def test_a_while_that_calls_python_is_left_out() -> None:
    kernel = looptx.kernel(swept)
    same(kernel, np.ones(5), [].append)
    (inner,) = kernel.report().nests
    assert inner.calls == 4
    assert not kernel.report().left


def test_strict_takes_nests_in_a_while_that_is_python() -> None:
    kernel = looptx.kernel(strict=True)(swept)
    same(kernel, np.ones(5), [].append)
    assert kernel.report().nests[0].calls == 4


class Odd(np.ndarray):
    """An array that native code does not take."""


@pytest.mark.parametrize("function", [collected, told], ids=lambda x: x.__name__)
def test_values_that_no_nest_takes(function: Any) -> None:
    kernel = looptx.kernel(function)
    shape = (3,) if function is collected else (3, 2)
    for A in (
        np.ones(shape).view(Odd),
        np.ones(shape)[::-1],
        np.ones(shape, ">f8"),
        np.ones(shape, np.longdouble),
        np.broadcast_to(np.ones(1), shape),
    ):
        outs: list[list[float]] = [[], []]
        calls = zip((kernel, function), outs, strict=True)
        ours, theirs = (
            outcome(one, A, 2, out if function is collected else str)
            for one, out in calls
        )
        assert (ours, outs[0]) == (theirs, outs[1])


def test_types_open_and_close_what_is_inside() -> None:
    kernel = looptx.kernel(named)
    A = np.zeros(3)
    for n in (3, 2, np.int64(2), 2.5, 3):
        assert outcome(kernel, A, n) == outcome(named, A, n)


def test_the_outer_one_says_why_and_that_others_run() -> None:
    kernel = looptx.kernel(collected)
    with pytest.warns(RuntimeWarning, match="Python but for loops inside: `out.insert"):
        kernel(np.ones(3), 2, [])


def rows(B, x, n):
    for i in range(n): B[i, 1:] = x[:-1] + i  # fmt: skip  # noqa: E701
    B[:, 2:0:-1] *= (x[0] - x[1:3]) * 2
    B[1:, ::2] = (
        B[:-1, ::2] + 1 - B[1:, 1::2]
    )  # fmt: skip


def rows_beside(B, x, out):
    for i in range(len(B)): B[i, 1:] = x[:-1] + out.count(i)  # fmt: skip  # noqa: E701


@pytest.mark.parametrize("n", [0, 1, 3, 7])
def test_of_several_loops_on_a_line_the_outermost_is_the_nest(n: int) -> None:
    kernel = looptx.kernel(rows)
    same(kernel, np.ones((n, 2 * (n // 2) + 4)), np.arange(2.0 * (n // 2) + 4), n)
    first, second = kernel.report().nests
    assert first.calls == second.calls == 1
    assert not any(nest.fallbacks for nest in (first, second))
    same(looptx.kernel(rows_beside), np.ones((n, n + 3)), np.arange(n + 3.0), [1, 2])


def sums_of_rows(A, B):
    for i in range(20):
        for j in range(A.shape[0]):
            B[j] += np.sum(A[j])


def test_nests_that_have_no_version_are_left_alone():
    kernel = looptx.kernel(sums_of_rows)
    for _ in range(3):
        same(kernel, np.ones((3, 4), np.float16), np.zeros(3, np.float16))
    outer, inner = kernel._prepared.dispatchers
    assert sum(outer.fallbacks.values()) == 3 and not outer.calls
    assert sum(inner.fallbacks.values()) == VAIN and not inner.open
    same(kernel, np.ones((3, 4)), np.zeros(3))
    assert outer.calls == 1 and sum(inner.fallbacks.values()) == VAIN
    same(kernel, np.ones((4, 3), np.float16).T, np.zeros(3, np.float16))
    assert sum(inner.fallbacks.values()) == 2 * VAIN


def beginning_with_much(B):
    pair = (2**70, 1)
    for i in range(len(B)):
        B[i] = pair[0] % 7
        pair = (i, pair[1])


def test_a_part_of_a_tuple_is_told_by_the_name_of_the_tuple():
    kernel = looptx.kernel(beginning_with_much)
    same(kernel, np.zeros(3))
    text = str(kernel.report())
    assert "pair[0] has no value that fits in 64 bits" in text
    assert "_looptx" not in text


@looptx.kernel
def remainders(data):
    """Its outer loop is over elements, if these are those of an array."""
    crc = 0xFFFF
    for byte in data:
        crc ^= int(byte)
        for _ in range(8):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return crc


@pytest.mark.parametrize("n", [0, 1, 7, 31])
def test_loops_over_what_is_an_array_are_native(n):
    data = np.random.default_rng(n).integers(0, 256, n).astype("uint8")
    same(remainders, data, native=1)


def test_loops_over_what_was_an_array_leave_those_inside_native():
    fresh = looptx.kernel(remainders.py_func)
    same(fresh, np.arange(9).astype("uint8"), native=1)
    keys = dict.fromkeys([3, 4, 5])
    with pytest.warns(RuntimeWarning, match="but for loops inside: data is .* dict"):
        assert fresh(keys) == remainders.py_func(keys)
    assert [one.calls for one in fresh.report().nests] == [1, 3]


def test_loops_inside_of_what_is_spelled_otherwise_are_native():
    """The body of the outer loop is another one where names may have no values."""
    kernel = looptx.kernel(followed)
    for kind in (np.int64, np.float64, np.int64, np.int32):
        for turns in (3, 1, 0, 7):
            same(kernel, np.arange(11.0) / 9, np.array([1, 4, 2], kind), turns)
    same(kernel, np.arange(11.0) / 9, {0: 1, 1: 4, 2: 2}, 2)
    calls = {nest.name: nest.calls for nest in kernel.report().nests}
    assert calls["followed.n0"] > 0
    assert calls["followed.n0.0"] > 0
    assert calls["followed.n0.1"] > 0


def long_text(statements: int) -> str:
    """A function with one loop of many statements that depend on each other."""
    lines = ["def long(A, x, n):", "    t = u = v = 0.0", "    for i in range(n):"]
    for k in range(statements):
        one, two, three = ("tuv"[(k * step + k // 5) % 3] for step in (1, 2, 4))
        if k % 3:
            value = f"{two} * {k % 7}.25 - {three} if x[i] > {k / 50} else {k % 5}.0"
            lines.append(f"        {one} = {value}")
        else:
            lines.append(f"        A[i, {k % 5}] = {one} + A[i, {k * 7 % 5}]")
    return "\n".join([*lines, "    return t, u, v", ""])


def test_a_loop_of_very_many_statements_is_one(tmp_path):
    kernel = looptx.kernel(imported(tmp_path / "long.py", long_text(150)).long)
    for n in (0, 1, 5):
        same(kernel, np.arange(25.0).reshape(5, 5), np.arange(5.0), n, native=1)
