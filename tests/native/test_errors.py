"""Errors of kernels: raised before the function begins, not swallowed, and short."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
import textwrap
import threading
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import looptx
from looptx.errors import LooptxError, unforeseen

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)

log: list[str] = []


@pytest.fixture(autouse=True)
def empty_log():
    log.clear()


@looptx.kernel("reorder j i")
def smear(A):
    log.append("begun")
    n = A.shape[0]
    try:
        for i in range(1, n):
            for j in range(n - 1):
                A[i, j] = A[i - 1, j + 1] + 1
    except Exception:
        log.append("swallowed")


def total(A, C):
    log.append("begun")
    try:
        for i in range(A.shape[0]):
            C[0] += A[i]
    except Exception:
        log.append("swallowed")
    return C[0]


def double(A):
    try:
        for i in range(len(A)):
            A[i] = A[i] * 2
    except Exception:
        log.append("swallowed")
    return A


def doubled(A):
    for i in range(len(A)):
        A[i] = A[i] * 2


def fail(A):
    try:
        for i in range(len(A)):
            A[i] = A[i] * 2
    except Exception:
        raise KeyError("mine") from None


def chunks(A):
    try:
        for i in range(len(A)):
            A[i] = A[i] * 2
    except Exception:
        log.append("swallowed")
    yield A


# Refused schedules


def test_what_is_refused_for_all_types_is_raised_before_the_function_begins():
    A = np.arange(16.0).reshape(4, 4)
    before = A.copy()
    for _ in range(2):
        with pytest.raises(LooptxError, match="refused: reorder j i") as caught:
            smear(A)
        assert caught.value.code == "LX201"
    assert log == []
    assert np.array_equal(A, before)
    assert smear.schedule == ("reorder j i",)
    report = smear.report()
    assert "LX201 refused: reorder j i" in report.refused
    assert report.refused in str(report)
    assert [nest.calls for nest in report.nests] == [0]


def test_a_refusal_is_proven_once(monkeypatch):
    counted = looptx.kernel("reorder j i")(smear.py_func)
    with pytest.raises(LooptxError, match="LX201"):
        counted(np.ones((3, 3)))
    monkeypatch.setattr("looptx.plan.prove", None)
    with pytest.raises(LooptxError, match="LX201"):
        counted(np.ones((3, 3)))


@pytest.mark.parametrize(
    "directive", ["unroll i | unroll j", "skew i k unroll<64 | skew j k unroll<64"]
)
def test_an_unroll_that_is_too_large_is_told_before_the_function_begins(directive):
    def copied(A):
        log.append("begun")
        for i in range(60):
            for j in range(60):
                for k in range(3):
                    A[i, j, k] += 1.0
                    A[i, j, k] *= 2.0

    kernel = looptx.kernel(directive)(copied)
    with pytest.raises(LooptxError, match="makes more than") as caught:
        kernel(np.ones((60, 60, 3)))
    assert caught.value.code == "LX106"
    assert log == []


def test_a_verdict_needs_no_loops(monkeypatch, fresh_cache):
    from looptx import plan

    generated, generate = [], plan.generate
    monkeypatch.setattr(
        plan,
        "generate",
        lambda *given, **options: generated.append(1) or generate(*given, **options),
    )
    kernel = looptx.kernel("tile i=4")(doubled)
    assert kernel.inspect_cython() == ""  # no types are known
    assert generated == []
    A = np.ones(5)
    kernel(A)
    assert np.array_equal(A, np.full(5, 2.0))
    assert generated == [1]


def test_several_refusals_are_told_together():
    @looptx.kernel
    def two(A, B):
        n = A.shape[0]
        # looptx: parallel i
        for i in range(1, n):
            A[i] = A[i - 1]
        # looptx: parallel i
        for i in range(1, n):
            B[i] = B[i - 1]

    with pytest.raises(LooptxError) as caught:
        two(np.ones(3), np.ones(3))
    lines = [error.place.line for error in caught.value.together]
    assert lines[1] - lines[0] == 3


def test_what_is_refused_for_some_types_is_raised_all_the_same():
    kernel = looptx.kernel("parallel i")(total)
    for _ in range(2):
        with pytest.raises(LooptxError) as caught:
            kernel(np.ones(4), np.zeros(1))
        assert caught.value.code == "LX202"
    assert log == ["begun", "swallowed"] * 2
    log.clear()
    assert kernel(np.arange(4), np.zeros(1, int)) == 6
    assert log == ["begun"]
    (nest,) = kernel.report().nests
    assert nest.calls == 1


def double_odd(A):
    """Ofoddlines."""
    for i in range(len(A)):
        A[i] = A[i] * 2


# What is no line to Python is none here.
@looptx.kernel("reorder j i")
def no_loop(A):
    return A


def test_lines_end_where_python_ends_them():
    with pytest.raises(LooptxError, match="type dict") as caught:
        looptx.kernel(strict=True)(double_odd)({0: 1, 1: 2})
    place = caught.value.place
    assert (place.line, place.column) == (double_odd.__code__.co_firstlineno + 2, 5)
    with pytest.raises(LooptxError) as caught:
        no_loop(np.ones(2))
    place = caught.value.place
    assert place.line == no_loop.py_func.__code__.co_firstlineno


def test_strict_errors_are_raised_all_the_same():
    kernel = looptx.kernel(strict=True)(double)
    with pytest.raises(LooptxError, match="A is a value of type dict") as caught:
        kernel({0: 1, 1: 2})
    place = caught.value.place
    assert (place.line, place.column) == (double.__code__.co_firstlineno + 2, 9)
    assert log == ["swallowed"]
    assert kernel(np.ones(2)).tolist() == [2.0, 2.0]
    with pytest.warns(RuntimeWarning, match="type dict"):
        assert looptx.kernel(double)({0: 1, 1: 2}) == {0: 2, 1: 4}


def test_an_error_that_comes_out_is_not_kept_for_later():
    kernel = looptx.kernel(strict=True)(doubled)
    with pytest.raises(LooptxError, match="dict"):
        kernel({0: 1, 1: 2})
    A = np.ones(2)
    kernel(A)
    assert A.tolist() == [2.0, 2.0]
    kernel = looptx.kernel(strict=True)(fail)
    with pytest.raises(KeyError, match="mine"):
        kernel({0: 1, 1: 2})
    kernel(A)
    assert A.tolist() == [4.0, 4.0]


def test_an_error_is_its_threads_own():
    caught, go_on = threading.Event(), threading.Event()
    errors = []

    @looptx.kernel(strict=True)
    def waits(A):
        try:
            for i in range(len(A)):
                A[i] = A[i] * 2
        except Exception:
            caught.set()
            go_on.wait(60)
        return A

    def call():
        try:
            waits({0: 1})
        except LooptxError as error:
            errors.append(error.code)

    thread = threading.Thread(target=call)
    thread.start()
    assert caught.wait(60)
    assert waits(np.ones(2)).tolist() == [2.0, 2.0]
    assert errors == []
    go_on.set()
    thread.join()
    assert errors == ["LX504"]


def test_a_call_inside_of_a_call_raises_its_own():
    inner = looptx.kernel(strict=True)(double)

    @looptx.kernel
    def outer(A, rest):
        try:
            inner(rest)
        except LooptxError:
            log.append("inner")
        for i in range(len(A)):
            A[i] += 1
        return A

    assert outer(np.ones(2), {0: 1}).tolist() == [2.0, 2.0]
    assert log == ["swallowed", "inner"]


def test_a_generator_raises_where_it_is_resumed():
    kernel = looptx.kernel(strict=True)(chunks)
    assert next(kernel({0: 1})) == {0: 1}
    assert log == ["swallowed"]
    assert next(kernel(np.ones(1))).tolist() == [2.0]


def test_warnings_that_are_errors():
    kernel = looptx.kernel(double)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="A is a value of type dict"):
            kernel({0: 1, 1: 2})
        assert log == ["swallowed"]
        assert kernel({0: 1, 1: 2}) == {0: 2, 1: 4}
    kernel = looptx.kernel(shouted)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match=r"`print\(A\[i\]\)` prints"):
            kernel(np.ones(1))
        assert kernel(np.ones(0)) == 0


def shouted(A):
    count = 0
    for i in range(A.shape[0]):
        print(A[i])
        count += 1
    return count


# What is shown of them


@looptx.kernel("spilt i 4")
def misspelt(A):
    for i in range(A.shape[0]):
        A[i] = 1.0


WAYS = {
    "a call": lambda: smear(np.ones((3, 3))),
    "a call, malformed": lambda: misspelt(np.ones(3)),
    "inspect_python": smear.inspect_python,
    "inspect_cython": smear.inspect_cython,
    "validate": smear.validate,
    "compile": lambda: smear.compile("float64[:, ::1]"),
    "inspect_python, malformed": misspelt.inspect_python,
    "schedule, malformed": lambda: misspelt.schedule,
    "a signature": lambda: looptx.kernel("reorder j i", signature="float64[:, ::1]")(
        smear.py_func
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_errors_stand_without_the_frames_of_looptx(way):
    with pytest.raises(LooptxError) as caught:
        WAYS[way]()
    error = caught.value
    assert error.code == ("LX101" if "malformed" in way else "LX201")
    frames = [
        frame
        for frame, _ in traceback.walk_tb(error.__traceback__)
        if str(ROOT / "looptx") in frame.f_code.co_filename
    ]
    shown = [frame for frame in frames if not frame.f_locals.get("__tracebackhide__")]
    assert len(frames) - len(shown) == 1
    assert len(shown) == (2 if way == "a signature" else 0)
    assert "During handling" not in "".join(traceback.format_exception(error))


def test_a_strict_error_shows_the_nest():
    kernel = looptx.kernel(strict=True)(doubled)
    with pytest.raises(LooptxError) as caught:
        kernel({0: 1})
    lines = traceback.format_exception(caught.value)
    assert any("for i in range(len(A)):" in line for line in lines)
    assert len(lines) < 8


@looptx.kernel("reorder j i")
def gathered(A, s):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s += A[i, j]
    return s


def test_an_error_that_types_decide_shows_lines_of_the_user():
    with pytest.raises(LooptxError) as caught:
        gathered(np.ones((3, 3)), 0.0)
    files = [frame.filename for frame in traceback.extract_tb(caught.tb)]
    assert files == [__file__, str(ROOT / "looptx" / "decorator.py"), __file__]
    assert caught.value.code == "LX201"


def test_what_pytest_and_a_terminal_show(tmp_path):
    (tmp_path / "test_it.py").write_text(
        textwrap.dedent(
            """
            import numpy as np
            import looptx

            @looptx.kernel("reorder j i")
            def smear(A):
                for i in range(1, A.shape[0]):
                    for j in range(A.shape[0] - 1):
                        A[i, j] = A[i - 1, j + 1] + 1

            def test_smear():
                smear(np.ones((3, 3)))

            if __name__ == "__main__":
                test_smear()
            """
        )
    )
    for command in (["-m", "pytest", "-q", "-p", "no:cacheprovider"], []):
        done = subprocess.run(
            [sys.executable, *command, "test_it.py"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        said = done.stdout + done.stderr
        assert done.returncode == 1, said
        assert "smear(np.ones((3, 3)))" in said
        assert "LX201 refused: reorder j i" in said
        assert "plan.py" not in said
        assert said.count("decorator.py") == (0 if command else 1)


# Loops that are never native


def partly(A, B):
    for i in range(len(A)):
        A[i] += 1
    for i in range(len(B)):
        if B[i] > 1:
            del A[:0]
    while len(B) > 5:
        B = B[1:]
    for i in range(len(B)):
        if B[i] > 9:
            with B:
                pass
    return B


def at(function, text):
    """Line and column of the first line of a function with a text."""
    lines = Path(__file__).read_text(encoding="utf-8").split("\n")
    first = function.__code__.co_firstlineno
    line = next(n for n in range(first, len(lines)) if text in lines[n - 1])
    return f"{__file__}:{line}:{lines[line - 1].index(text) + 1}"


def test_a_nest_that_cannot_be_read_beside_one_that_can(capsys):
    kernel = looptx.kernel(partly)
    reasons = (
        f"{at(partly, 'del A')}: LX301 `del`\n    hint: move it out of the nest",
        f"{at(partly, 'with')}: LX301 `with`\n    hint: put the `with` around the nest",
    )
    with pytest.warns(RuntimeWarning) as seen:
        kernel(np.ones(3), np.ones(2))
    (warning,) = seen
    first = reasons[0].partition("\n")[0]
    told = f"looptx: 2 loops of partly run as plain Python: {first}\n"
    assert str(warning.message).startswith(told)
    assert "hint: move it out" in str(warning.message)
    assert warning.filename == __file__
    report = kernel.report()
    first, loop, last = report.left
    assert (first, last) == reasons
    assert loop.startswith(f"{at(partly, 'while')}: LX305 a `while` loop")
    for reason in reasons:
        assert f"partly runs as plain Python: {reason}" in str(report)
    assert [nest.calls for nest in report.nests] == [1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel(np.ones(3), np.ones(2))
        # The nests are out of the cache now.
    again = looptx.kernel(partly)
    with pytest.warns(RuntimeWarning, match="2 loops of partly run as plain Python"):
        again(np.ones(3), np.ones(2))
    assert again.report().left == report.left


def waiting(A):
    k = len(A)
    while k > 1:
        k //= 2
        print(end="")
    while k < 2:
        k += len([k])
    for i in range(len(A)):
        A[i] += k
    while k < 3:
        for j in range(len(A)):
            A[j] *= 2.0
        k += 1


def test_a_loop_beside_nests_is_in_the_report():
    """One that only repeats nests is not, and neither is refused or warned of."""
    for _ in range(2):  # the second is out of the cache
        kernel = looptx.kernel(strict=True)(waiting)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kernel(np.ones(5))
        (left,) = kernel.report().left
        assert left.startswith(f"{at(waiting, 'while k > 1')}: LX305 a `while` loop\n")
        python, *others = kernel.report().nests
        assert "the expression `[k]`" in str(python)
        assert [nest.calls for nest in (python, *others)] == [0, 1, 1]


def test_strict_kernels_demand_every_nest():
    kernel = looptx.kernel(strict=True)(partly)
    A = np.ones(3)
    for _ in range(2):
        with pytest.raises(LooptxError) as caught:
            kernel(A, np.ones(2))
        error = caught.value
        assert error.code == "LX504"
        assert error.message == "partly cannot run natively: LX301 `del`"
        assert str(error.place) == at(partly, "del A")
        assert error.source.strip() == "del A[:0]"
        assert "move it out" in error.hint
        assert [one.code for one in error.also] == ["LX301"]
    assert A.tolist() == [1.0] * 3
    assert "LX301 `del`" in kernel.report().refused
    assert "A[i] += 1" in kernel.inspect_python()


def unread(A):
    for i in range(len(A)):
        if A[i].all() and not A[i].any():
            with A:
                pass


def ranged(A):
    for a in list(A):
        a += 1


def bounded(A):
    for i in range(*A.shape):
        A[0, i] += 1


def transformed(A):
    # looptx: applied split i 4 [sha256 541fbb97d039]
    for i in range(0, A.shape[0], 4):
        for ii in range(i, min(i + 4, A.shape[0])):
            A[ii, 0] += 1


def loopless(A):
    return A


def inverted(A):
    return np.linalg.inv(A + np.eye(2))


NEVER = [
    (unread, "with", "LX301 `with`"),
    (ranged, "for a", "LX305 a `for` that is not `for NAME in range(...)`"),
    (bounded, "for i", "LX305 `i` cannot be scheduled: the arguments of its `range`"),
    (transformed, "for i", "LX111 nest `n0` is already transformed"),
    (loopless, "", ""),
    (inverted, "np.linalg", "LX305 `np.linalg.inv` is none of the functions that"),
]


@pytest.mark.parametrize(("function", "text", "reason"), NEVER)
def test_why_no_loop_is_native(function, text, reason, capsys):
    where = f"{at(function, text)}: {reason}" if text else ""
    kernel = looptx.kernel(function)
    name = function.__name__
    message = f"looptx: {name} has no loop that can be native; it runs as Python"
    with pytest.warns(RuntimeWarning) as seen:
        kernel(np.ones((2, 2)))
    (warning,) = seen
    assert str(warning.message).startswith(f"{message}{': ' if where else ''}{where}")
    assert where in str(kernel.report())
    strict = looptx.kernel(strict=True)(function)
    with pytest.raises(LooptxError) as caught:
        strict(np.ones((2, 2)))
    assert caught.value.code == "LX504"
    assert (reason or "it has no loop") in caught.value.message
    if where:
        assert where.startswith(f"{caught.value.place}: ")
        scheduled = looptx.kernel("split i 4")(function)
        with pytest.raises(LooptxError) as caught:
            scheduled(np.ones((2, 2)))
        assert f"{caught.value.code} {caught.value.message}".startswith(reason)


def test_inspect_cython_says_why_there_is_none():
    @looptx.kernel
    def text(A):
        for i in range(A.shape[0]):
            A[i] = A[i] ** A[i]

    assert text.inspect_cython() == ""
    with pytest.warns(RuntimeWarning, match="LX504"):
        text(np.ones(2, np.uint8))
    assert text.inspect_cython().startswith("# text.n0 for (uint8[::1]): ")
    assert "LX504" in text.inspect_cython()


def test_loops_that_are_not_scheduled_need_no_proof(
    monkeypatch: pytest.MonkeyPatch, fresh_cache: Path
) -> None:
    """Beyond the budgets of the analysis they run as written; a schedule is refused."""
    monkeypatch.setattr("looptx.poly.dependences.memory_based.MOST_PAIRS", 1)

    def sums(A, n):
        for i in range(1, n):
            A[i] = A[i] + A[i - 1]

    ours, theirs = np.arange(7.0), np.arange(7.0)
    with pytest.warns(RuntimeWarning, match="exceeded its budget"):
        looptx.kernel(sums)(ours, 7)
    sums(theirs, 7)
    assert ours.tobytes() == theirs.tobytes()
    with pytest.raises(looptx.LooptxError, match="LX204"):
        looptx.kernel("split i 2")(sums)(ours, 7)
    assert ours.tobytes() == theirs.tobytes()


def roots(n):
    count = 0
    for i in range(2, int(n**0.5) + 1):
        count += i
    return count


def square_roots(n):
    count = 0
    for i in range(2, int(math.sqrt(n)) + 1):
        count += i
    return count


def projected(A, n):
    for k in range(n):
        for j in range(k + 1, n):
            A[:, j] -= np.dot(A[:, k], A[:, j]) * A[:, k]


def turned(u, v, w, n):
    for _t in range(n):
        for i in range(len(u)):
            w[i] = u[i] + v[i]
        u, v, w = v, w, u
    return u


@pytest.mark.filterwarnings("ignore:looptx:RuntimeWarning")
@pytest.mark.parametrize("written", [roots, square_roots])
def test_loops_to_a_root(written: Callable[[int], int]) -> None:
    """Of what is below 0 Python tells what is wrong: the entry asks it."""
    kernel = looptx.kernel(written)
    for n in (0, 1, 2, 50, np.int32(7), 7.5, True):
        assert kernel(n) == written(n)
    assert sum(nest.calls for nest in kernel.report().nests) == 7
    with pytest.raises((TypeError, ValueError)) as error:
        written(-5)
    with pytest.raises(error.type, match=re.escape(str(error.value))):
        kernel(-5)


@pytest.mark.filterwarnings("ignore:looptx:RuntimeWarning")
def test_reasons_are_true() -> None:
    kernel = looptx.kernel(projected)
    kernel(np.ones((4, 4)), 4)
    assert "the slice `:`, which is several elements" in str(kernel.report())
    kernel = looptx.kernel(turned)
    kernel(*np.ones((3, 5)), 4)
    assert "index one array by `_t % 3`" in str(kernel.report())


def test_an_interrupt_while_a_class_is_made_is_one():
    """Until Python 3.12 it comes as the cause of a RuntimeError."""

    class Named:
        def __set_name__(self, owner, name):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        try:
            type("Made", (), {"name": Named()})
        except RuntimeError as error:
            unforeseen(error)
