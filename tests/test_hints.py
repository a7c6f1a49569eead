"""What hints say can be done, and helps."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import looptx
from looptx import hints
from looptx.cli.text import transform_text
from looptx.errors import LooptxError


def error(body: str, head: str = "A, B, n, m") -> LooptxError:
    """The one error of a function."""
    (found,) = transform_text(function(body, head), "t.py").errors
    assert found.hint
    return found


def function(body: str, head: str = "A, B, n, m") -> str:
    return f"def f({head}):\n{textwrap.indent(textwrap.dedent(body), '    ')}"


def accepted(body: str, head: str = "A, B, n, m") -> str:
    """The text of a function that is carried out."""
    result = transform_text(function(body, head), "t.py")
    assert not result.errors, result.errors[0]
    assert result.changed
    return result.text


def run(text: str) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    exec(text, names)
    return names["f"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("header", "count", "value"),
    [
        ("range(0, n, m)", "-(-n // m)", "k * m"),
        ("range(2, n, m)", "-((2 - n) // m)", "2 + k * m"),
        ("range(n, 0, m)", "-(n // m)", "n + k * m"),
        ("range(n, m, n - m)", "-((n - m) // (n - m))", "n + k * (n - m)"),
    ],
)
def test_a_step_that_is_no_literal(header: str, count: str, value: str) -> None:
    before = f"""
        # looptx: split i 4
        for i in {header}:
            A[i] = A[i] * 2.0 + i
    """
    found = error(before)
    assert found.code == "LX305"
    assert "`i` cannot be scheduled: its step" in found.message
    for part in (f"`count = {count}`", "`for k in range(count)`", f"`i = {value}`"):
        assert part in found.hint
    after = f"""
        count = {count}
        # looptx: split k 4
        for k in range(count):
            i = {value}
            A[i] = A[i] * 2.0 + i
    """
    original, new = run(function(before)), run(accepted(after))
    for n in range(-9, 10):
        for m in (-4, -3, -1, 1, 2, 5):
            if n == m and "n - m" in header:
                continue
            ours, theirs = np.arange(20.0), np.arange(20.0)
            original(theirs, None, n, m)
            new(ours, None, n, m)
            assert ours.tolist() == theirs.tolist()


def test_the_names_of_a_count_are_free() -> None:
    found = error(
        """
        k = count = m
        # looptx: split i 4
        for i in range(0, n, k):
            A[i] = count
        """
    )
    assert "`count1 = -(-n // k)`" in found.hint
    assert "`for k1 in range(count1)`" in found.hint


KEPT = [
    (
        "for j in range(len(A[0])):",
        "its bound `len(A[0])` is not affine in sizes and loops",
        "write `A.shape[1]` for `len(A[0])`, of a NumPy array",
        ("", "for j in range(A.shape[1]):"),
    ),
    (
        "for j in range(A[i].shape[0]):",
        "its bound `A[i].shape[0]` is not affine in sizes and loops",
        "write `A.shape[1]` for `A[i].shape[0]`, of a NumPy array",
        ("", "for j in range(A.shape[1]):"),
    ),
    (
        "for j in range(A[i, :].shape[0]):",
        "its bound `A[i, :].shape[0]` is not affine in sizes and loops",
        "schedule it in a function of its own, called with `A[i, :].shape[0]`",
        None,
    ),
    (
        "for j in range(n // m):",
        "its bound `n // m` is not affine in sizes and loops",
        "store the bound in an integer variable before the nest",
        ("q = n // m", "for j in range(q):"),
    ),
    (
        "for j in range(i * i):",
        "its bound `i * i` is not affine in sizes and loops",
        "schedule it in a function of its own, called with `i * i`",
        None,
    ),
    (
        "for j in range(B[i]):",
        "its bound `B[i]` is not affine in sizes and loops",
        "schedule it in a function of its own, called with `B[i]`",
        None,
    ),
    (
        "for j in range(i * i, n, i):",
        "its step `i` is no constant",
        "schedule it in a function of its own, called with `i * i` and `i`",
        None,
    ),
    (
        "for j in range(0, n, m):",
        "its step `m` is no constant",
        "write `count = -(-n // m)` before the nest, `for k in range(count)` here, "
        "and `j = k * m` first in it",
        None,
    ),
]


@pytest.mark.parametrize(("inner", "reason", "hint", "mended"), KEPT)
def test_a_loop_that_is_kept_whole(
    inner: str, reason: str, hint: str, mended: tuple[str, str] | None
) -> None:
    body = """{before}
# looptx: unroll j 2
for i in range(n):
    {inner}
        A[i, j] = 1.0
"""
    found = error(body.format(before="", inner=inner))
    assert found.code == "LX104"
    assert found.message == f"`j` of line 5 cannot be scheduled: {reason}"
    assert found.hint == hint
    if mended:
        accepted(body.format(before=mended[0], inner=mended[1]))


def test_loops_under_an_if_over_data_and_inside_others() -> None:
    body = """
    # looptx: {}
    for i in range(n):
        if A[i, 0] > 0:
            for j in range(m):
                B[i, j] = 1.0
    """
    found = error(body.format("unroll j 2"))
    assert "it stands under `if A[i, 0] > 0`" in found.message
    assert "put the `if` into the loop" in found.hint
    accepted(
        """
        # looptx: unroll j 2
        for i in range(n):
            for j in range(m):
                if A[i, 0] > 0:
                    B[i, j] = 1.0
        """
    )
    found = error(
        """
        # looptx: unroll k 2
        for i in range(n):
            for j in range(i * i):
                for k in range(m):
                    B[j, k] = 1.0
        """
    )
    assert found.message.endswith(
        "`k` of line 6 cannot be scheduled: it stands in the loop `j` of line 5, "
        "of which its bound `i * i` is not affine in sizes and loops"
    )


def test_directives_above_the_function_find_the_nest_of_a_kept_loop() -> None:
    text = """
# looptx: unroll j 2
def f(A, n):
    for i in range(n):
        A[i, 0] = 1.0
    for i in range(n):
        for j in range(i * i):
            A[i, j] = 1.0
"""
    (found,) = transform_text(text, "t.py").errors
    assert found.message.startswith("`j` of line 7 cannot be scheduled")


def test_break_and_return_by_a_flag() -> None:
    found = error(
        """
        # looptx: split i 4
        for i in range(n):
            if A[i] == m:
                break
            B[i] = A[i]
        """
    )
    assert "flag" in found.hint and "under `if not`" in found.hint
    accepted(
        """
        done = False
        # looptx: split i 4
        for i in range(n):
            if not done:
                if A[i] == m:
                    done = True
                else:
                    B[i] = A[i]
        """
    )
    found = error(
        """
        # looptx: split i 4
        for i in range(n):
            if A[i] == m:
                return i
        """
    )
    assert "return it after the nest" in found.hint and "flag" in found.hint
    text = accepted(
        """
        found = False
        where = -1
        # looptx: split i 4
        for i in range(n):
            if not found:
                if A[i] == m:
                    where = i
                    found = True
        return where
        """
    )
    for value in range(-1, 8):
        assert run(text)(list(range(7)), None, 7, value) == (value if value < 7 else -1)


def test_arrays_that_are_exchanged() -> None:
    swap = "C = A\nA = B\nB = C"
    sweep = "for i in range(1, n - 1):\n    B[i] = A[i - 1] + A[i + 1]\n"
    steps = "# looptx: parallel i\nfor t in range(m):\n"
    found = error(steps + textwrap.indent(sweep + swap, "    "))
    assert found.code == "LX301"
    assert found.message == "the arrays `A` and `B` are exchanged"
    assert found.place is not None and found.place.line == 6
    assert "the sweep from `B` to `A`" in found.hint
    assert "one array by `t % 2`" in found.hint
    back = "for i in range(1, n - 1):\n    A[i] = B[i - 1] + B[i + 1]\n"
    both = steps.replace("parallel i", "parallel i#1 | parallel i#2")
    accepted(both + textwrap.indent(sweep + back, "    "))
    one = "B[(t + 1) % 2, i] = B[t % 2, i - 1] + B[t % 2, i + 1]\n"
    accepted(steps + f"    for i in range(1, n - 1):\n        {one}")


def test_numbers_may_be_exchanged() -> None:
    accepted(
        """
        a, b = 0.0, 1.0
        # looptx: split i 4
        for i in range(n):
            a, b = b, a
            A[i] = a
        """
    )


MISSPELT = [
    "# LOOPTX: split i 4",
    "# Looptx: split i 4",
    "# looptx split i 4",
    "# looptx; split i 4",
    "# LoopTX - split i 4",
    "# loopx: split i 4",
    "# lootpx: split i 4",
    "# loop-tx: split i 4",
    "#looptxx:split i 4",
    "## looptx: split i 4",
    "#: looptx: split i 4",
]
PROSE = [
    "# looptx is nice",
    "# looptx: applied split i 4",
    "# looptx parallel loops are fast",
    "# looptx parallel loops",
    "# Looptx: see the manual",
    "# looptx tile is what we use",
    "# looptx split i by four",
    "# loops: split i 4",
    "# loop: split i 4",
    "# loopy: split i 4",
    "# split i 4",
]
MARKED = (
    "{above}\ndef f(A, n):\n    {inside}\n    for i in range(n):\n        A[i] = 1.0\n"
)


@pytest.mark.parametrize("comment", MISSPELT)
@pytest.mark.parametrize("where", ["above", "inside"])
def test_a_misspelt_directive(comment: str, where: str) -> None:
    text = MARKED.format(**{"above": "", "inside": "", where: comment})
    result = transform_text(text, "t.py")
    (found,) = result.errors
    assert found.code == "LX118"
    assert found.hint == "write `# looptx: split i 4`"
    assert found.place is not None
    place = found.place.line, found.place.column
    assert place == ((1, 1) if where == "above" else (3, 5))
    right = found.hint.removeprefix("write ").strip("`")
    assert transform_text(text.replace(comment, right), "t.py").changed


@pytest.mark.parametrize("comment", PROSE)
def test_a_comment_that_is_no_directive(comment: str) -> None:
    text = MARKED.format(above="", inside=comment)
    result = transform_text(text, "t.py")
    assert not result.errors and not result.changed


class Callable_:
    """Neither a function nor a class."""

    def __call__(self) -> None: ...


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (len, "`len`, which is not written in Python"),
        (Callable_, "the class `Callable_`"),
        (Callable_(), "an object of type `Callable_`"),
    ],
)
def test_what_is_no_function_is_not_called_a_directive(
    value: object, what: str
) -> None:
    with pytest.raises(LooptxError) as caught:
        looptx.kernel(value)  # type: ignore[call-overload]
    assert caught.value.code == "LX306"
    assert caught.value.message.startswith("`kernel` decorates functions only")
    assert caught.value.message.endswith(what)


def test_a_kernel_of_a_kernel_has_its_directives() -> None:
    @looptx.kernel("split i 4")
    def f(A: Any, n: int) -> None:
        for i in range(n):
            A[i] = 1.0

    assert looptx.kernel(f).schedule == f.schedule
    assert looptx.kernel("split i 8")(f).schedule == ("split i 8",)


def test_the_search_for_a_hint_has_a_budget_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The verdict stands, and does not wait for a hint that is hard to find."""
    body = """
        # looptx: reorder j i
        for i in range(1, n):
            for j in range(m - 1):
                A[i, j] = A[i - 1, j + 1] + 1.0
    """
    found = error(body)
    monkeypatch.setattr(hints, "HINT_OPERATIONS", 1)
    hurried = error(body)
    assert (found.code, found.place) == (hurried.code, hurried.place)
    assert found.detail == hurried.detail
    assert found.hint != hurried.hint == hints.LAST_RESORT


NAMED = [
    (  # The fusing dimension cannot be marked.
        """
        for i in range(n):
            for j in range(i):
                # looptx: nest u
                for k in range(j):
                    A[i, j] -= A[i, k] * A[k, j]
                # looptx: nest s
                A[i, j] /= A[j, j]
        """,
        "fuse u s at k=j | reorder i k j | vectorize j",
        "vectorize i",
        "carried by `i`;",
    ),
    (  # Above a function the loops of all its nests are known.
        """
        # looptx: nest a
        for i in range(1, n):
            for j in range(n):
                A[i, j] = A[i - 1, j] + 1.0
        # looptx: nest b
        for j in range(n):
            B[j] = A[0, j]
        """,
        "vectorize a.i",
        "vectorize a.j",
        "carried by `a.j`;",
    ),
    (
        """
        # looptx: nest a
        for i in range(1, n):
            for j in range(1, n - 1):
                A[i, j] = A[i - 1, j + 1] + 1.0
        # looptx: nest b
        for i in range(n):
            for j in range(n):
                B[i, j] = A[i, j]
        """,
        "reorder a.j a.i",
        "skew a.j a.i | reorder a.j a.i",
        "`skew a.j a.i` before",
    ),
]


@pytest.mark.parametrize(("body", "refused", "legal", "hint"), NAMED)
def test_a_hint_names_loops_as_its_place_has_them(
    body: str, refused: str, legal: str, hint: str
) -> None:
    def above(directives: str) -> str:
        text = function(body, "A: 'float64[:, :]', B, n: int")
        return f"# looptx: {directives}\n{text}"

    (found,) = transform_text(above(refused), "t.py").errors
    assert hint in found.hint
    assert not transform_text(above(legal), "t.py").errors
