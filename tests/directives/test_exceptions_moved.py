"""What moves raises where the source does: iterations that nobody reads, too."""

from __future__ import annotations

import functools
import itertools
import types
from typing import Any

import numpy as np
import pytest
from kit.carried import rewritten

EVERY_SECOND = """
import math
import numpy as np
# looptx: {}
def f(A, B, n, z):
    T = np.empty(n)
    # looptx: nest p
    for i in range(n):
        T[i] = {}
    # looptx: nest c
    for i in range(0, n, 2):
        B[i] = T[i]
"""
RAISING = [
    "math.sqrt(A[i])",
    "A[i] + 1 / z",
    "A[i] + i // (i - z)",
    "i % (i + z - 5)",
    "float(1 << (2 - i))",
    "A[int(A[i])]",
    "z ** (3 - i)",
    "float(A[i]) ** 2",
]
QUIET = ["A[i] + i / 2", "np.sqrt(A[i]) / z", "np.abs(A[i]) ** 2", "min(A[i], z)"]
MOVES = ["compute_at p c.i", "compute_at p c.i | temp T", "compute_at p c.i sliding"]
INLINED = ["compute_inline p", "reverse_compute_inline c"]


def _moved(text: str) -> str:
    """A module as looptx rewrites it, which it has to."""
    found = rewritten(text)
    assert not found.code, found.message
    return found.text


@functools.cache
def _compiled(text: str) -> types.CodeType:
    return compile(text, "f.py", "exec")


def _outcome(text: str, *given: Any) -> tuple[str, bytes]:
    """What a call raises, and its result where it raises nothing."""
    scope: dict[str, Any] = {}
    exec(_compiled(text), scope)
    result = np.zeros(8)
    with np.errstate(all="ignore"):
        try:
            scope["f"](given[0].copy(), result, *given[1:])
        except Exception as error:
            return type(error).__name__, b""
    return "", result.tobytes()


def _cases() -> list[tuple[Any, ...]]:
    """Arrays of which another number each time makes a term raise, and sizes."""
    arrays = [np.arange(1.0, 9.0)]
    for at, value in itertools.product(range(4), (-1.0, 100.0, 0.0, 1e200)):
        arrays.append(np.arange(1.0, 9.0))
        arrays[-1][at] = value
    return [(a, n, z) for a in arrays for n in (0, 1, 2, 4, 7) for z in (0, 2)]


@pytest.mark.parametrize("term", RAISING)
@pytest.mark.parametrize("move", MOVES)
def test_what_nobody_reads_raises_all_the_same(term: str, move: str) -> None:
    source = EVERY_SECOND.format("nest x", term).replace("# looptx: nest x\n", "")
    text = _moved(EVERY_SECOND.format(move, term))
    expected = [_outcome(source, *case) for case in _cases()]
    assert [_outcome(text, *case) for case in _cases()] == expected
    assert {name for name, _ in expected} > {""}


@pytest.mark.parametrize("term", QUIET)
@pytest.mark.parametrize("move", MOVES)
def test_what_cannot_raise_goes(term: str, move: str) -> None:
    text = _moved(EVERY_SECOND.format(move, term))
    assert text.count("range(") == 1


@pytest.mark.parametrize("term", RAISING)
@pytest.mark.parametrize("move", INLINED)
def test_what_may_raise_is_not_dropped(term: str, move: str) -> None:
    error = rewritten(EVERY_SECOND.format(move, term))
    assert error.code == "LX203"
    assert "raises" in error.message


@pytest.mark.parametrize("move", INLINED)
def test_what_may_raise_is_inlined_where_all_of_it_is_read(move: str) -> None:
    text = EVERY_SECOND.format(move, "math.sqrt(A[i])").replace("0, n, 2", "n")
    source, moved = text.replace(f"# looptx: {move}\n", ""), _moved(text)
    for case in _cases():
        assert _outcome(moved, *case) == _outcome(source, *case)


def test_a_read_under_a_condition_is_no_read_for_sure() -> None:
    text = EVERY_SECOND.format("compute_inline p", "math.sqrt(A[i])")
    text = text.replace("0, n, 2", "n").replace("= T[i]", "= T[i] if z else 0")
    assert rewritten(text).code == "LX203"


def test_types_tell_whose_numbers_they_are() -> None:
    text = EVERY_SECOND.format("compute_inline p", "A[i] / z")
    assert rewritten(text).code == "LX203"
    known = text.replace("f(A, B, n, z)", 'f(A: "float64[:]", B, n, z)')
    assert "T" not in _moved(known).split("applied", 1)[1].replace("temp T", "")


@pytest.mark.parametrize("head", ["(A, B", "(A: 'float64[:]', B"])
@pytest.mark.parametrize("step", ["T[i] = A[i]", "x = A[i]; T[i] = x"])
@pytest.mark.parametrize("move", [*MOVES, "split p.i 3 | compute_at p c.i sliding"])
def test_a_cell_may_refuse_a_number(head: str, step: str, move: str) -> None:
    text = EVERY_SECOND.format(move, "A[i]").replace("T[i] = A[i]", step)
    text = text.replace("empty(n)", "empty(n, np.int64)").replace("(A, B", head)
    source = text.replace(f"# looptx: {move}\n", "")
    array = np.array([1.0, np.nan, 2.0, 3.0])
    assert _outcome(source, array, 4, 0)[0] == "ValueError"
    assert _outcome(_moved(text), array, 4, 0)[0] == "ValueError"


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize(
    ("kind", "kept", "error"),
    [
        ("int64", "int32", "OverflowError"),
        ("uint8", "int8", "OverflowError"),
        ("uint64", "int64", "OverflowError"),
        ("int64", "uint8", ""),
        ("int8", "int16", ""),
    ],
)
def test_a_cell_may_refuse_an_integer_that_does_not_fit(
    kind: str, kept: str, error: str, move: str
) -> None:
    text = EVERY_SECOND.format(move, "A[i]")
    text = text.replace("empty(n)", f"empty(n, np.{kept})")
    text = text.replace("(A, B", f"(A: '{kind}[:]', B")
    source = text.replace(f"# looptx: {move}\n", "")
    for values in ([1, 100, 2, 3], [1, np.iinfo(kind).max, 2, 3]):
        array = np.array(values, kind)
        expected = _outcome(source, array, 4, 0)
        assert _outcome(_moved(text), array, 4, 0) == expected
    assert expected[0] == error
    assert rewritten(text.replace(move, "compute_inline p")).code == (
        "LX203" if error else ""
    )


UNKNOWN = [
    ("T[i] = A[i] + 300", "A: 'uint8[:]'", "np.float64", np.arange(8, dtype=np.uint8)),
    ("T[i] = A[i] + 100 * i", "A: 'uint8[:]'", "np.float64", np.zeros(8, np.uint8)),
    ("T[i] = A[i] << (i - 1)", "A: 'uint64[:]'", "np.uint64", np.ones(8, np.uint64)),
    ("T[i] = A[i] ** (1 - i)", "A: 'int64[:]'", "np.float64", np.ones(8, np.int64)),
    ("T[i] = 2 ** (62 + i)", "A", "np.int64", np.ones(8)),
    ("T[i] = i * 10 ** 400", "A", "np.float64", np.ones(8)),
    ("T[i] = 1.5 * 10 ** (308 * i)", "A", "np.float64", np.ones(8)),
    ("T[i] = A[i]", "A: 'int64[:]'", "np.int8", np.array([1, 300, 2, 3])),
    ("T[i] = i * 100", "A", "np.int8", np.ones(8)),
    ("T[i] = abs(1.7e308 * (i + 1j * i))", "A", "np.float64", np.ones(8)),
    ("T[i] = 1j * i", "A", "np.float64", np.ones(8)),
    ("T[i] = '7' if i < 2 else 'x'", "A", "np.float64", np.ones(8)),
    ("T[i] = name if i > 2 else 1.0", "A", "np.float64", np.ones(8)),
    ("T[i] = i in name", "A", "np.float64", np.ones(8)),
    ("T[i] = name < i", "A", "np.float64", np.ones(8)),
    ("T[i] = TABLE[i]", "A", "np.float64", np.ones(8)),
    ("T[i] = int(A[i])", "A", "np.float64", np.array([1.0, np.nan, 2.0, 3.0])),
    ("T[i] = (A[i] > 2) - (A[i] > 1)", "A", "np.float64", np.ones(8)),
    ("T[i] = A.shape[i]", "A", "np.float64", np.ones(8)),
    ("T[i] = len(z)", "A", "np.float64", np.ones(8)),
    ("T[i] = ODD * i if i > 2 else 1.0", "A", "np.float64", np.ones(8)),
    ("T[i] = MADE * i if i > 2 else 1.0", "A", "np.float64", np.ones(8)),
    ("T[i] = round(A[i])", "A", "np.float64", np.array([1.0, np.inf, 2.0, 3.0])),
]
"""Terms that raise in some iteration, each of another sort."""


def _unknown(line: str, head: str, dtype: str, move: str) -> str:
    """A module with such a term."""
    text = EVERY_SECOND.format(move, "?").replace("T[i] = ?", line)
    text = text.replace("empty(n)", f"empty(n, {dtype})").replace(
        "(A, B", f"({head}, B"
    )
    text = text.replace("    T =", "    name = 'name'\n    T =")
    return text.replace(
        "# looptx",
        "TABLE = {0: 1.0, 2: 3.0}\nif TABLE:\n    ODD, ONE = None, 1.0\n"
        "    def MADE(): pass\n# looptx",
        1,
    )


@pytest.mark.parametrize(("line", "head", "dtype", "array"), UNKNOWN)
def test_what_is_not_known_to_be_quiet_stays(
    line: str, head: str, dtype: str, array: Any
) -> None:
    source = _unknown(line, head, dtype, "nest x").replace("# looptx: nest x\n", "")
    cases = [(array, n, 0) for n in (0, 1, 2, 4)]
    expected = [_outcome(source, *case) for case in cases]
    assert {name for name, _ in expected} > {""}
    moved = _moved(_unknown(line, head, dtype, "compute_at p c.i"))
    assert [_outcome(moved, *case) for case in cases] == expected
    for move in INLINED:
        error = rewritten(_unknown(line, head, dtype, move))
        assert (error.code, "raises" in error.message) == ("LX203", True)


def test_several_values_of_an_unknown_one_stay() -> None:
    text = EVERY_SECOND.format("compute_at p c.i", "?")
    text = text.replace("T[i] = ?", "a, b = A[i]; T[i] = a")
    source = text.replace("# looptx: compute_at p c.i\n", "")
    rows = np.arange(8.0)
    assert _outcome(source, rows, 2, 0)[0] == "TypeError"
    assert _outcome(_moved(text), rows, 2, 0) == _outcome(source, rows, 2, 0)


KNOWN = [
    ("T[i] = A[i] + 255 - (A[i] >> 1)", "A: 'uint8[:]'", "np.uint8"),
    ("T[i] = A[i] + 2 * i * n", "A: 'int64[:]'", "np.int64"),
    ("T[i] = i * n", "A", "np.int64"),
    ("T[i] = A[i]", "A: 'int64[:]'", "np.uint8"),
    ("T[i] = A[i] != 2", "A", "bool"),
    ("a, b = A[i], 2.0; T[i] = a * b", "A", "np.float64"),
    ("x = A[i] * 2.0; T[i] = x / 2.0", "A", "np.float64"),
    ("T[i] = math.pi * A[i] + len(A) * A.shape[0]", "A", "np.float64"),
    ("T[i] = abs(A[i]) + float(i) + max(A[i], z, 0.0)", "A", "np.float64"),
    ("T[i] = -A[i] if A[i] > z and not i == 3 else np.exp(A[i])", "A", "np.float64"),
]


@pytest.mark.parametrize(("line", "head", "dtype"), KNOWN)
def test_what_is_known_to_be_quiet_goes(line: str, head: str, dtype: str) -> None:
    moved = _moved(_unknown(line, head, dtype, "compute_at p c.i"))
    assert moved.count("range(") == 1
    source = _unknown(line, head, dtype, "nest x").replace("# looptx: nest x\n", "")
    kind = head[4:-4] if "'" in head else "float64"
    for n in (0, 1, 2, 5, 8):
        array = np.arange(8).astype(kind)
        assert _outcome(moved, array, n, 1) == _outcome(source, array, n, 1)
