"""Readers of several writers, inlined: each iteration has the right expression."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.carried import refusal, same

SIZES = (0, 1, 2, 3, 5, 7)
TWO = """
import numpy as np
# looptx: {}
def f(A: "{kind}[:]", B: "{kind}[:]", n: int):
    T = np.{}
    # looptx: nest p
    for k in range(n):
        {}
    # looptx: nest c
    for {}:
        {}
"""
HALVES = "T[k] = A[k] + A[k + n]; T[k + n] = A[k] - A[k + n]"
TURNS = "T[2 * k] = A[k] + A[k + n]; T[2 * k + 1] = A[k] - A[k + n]"
TWINS = "zeros(2 * n, A.dtype)"
ALL = "j in range(2 * n)"
BACK = "j in range(2 * n - 1, 0, -1)"
HALF = "j in range(n)"
STAGE = "B[j] = T[j] + 2.0 * T[j + n]; B[j + n] = T[j] - 2.0 * T[j + n]"

PROGRAMS = [
    (TWINS, HALVES, ALL, "B[j] = T[j] * 2.0"),
    (TWINS, HALVES, BACK, "B[j] = T[j] * 2.0 + T[j - 1]"),
    (TWINS, HALVES, HALF, STAGE),
    (TWINS, HALVES, HALF, "B[j] = T[j] if A[j] > 0.0 else T[2 * j]"),
    (TWINS, HALVES, "j in range(2 * n)", "B[j] = A[j] if j < 3 else T[j]"),
    (TWINS, TURNS, ALL, "B[j] += T[2 * n - 1 - j]"),
    (TWINS, TURNS, HALF, "B[j] = T[2 * j] * T[j]"),
    # What was written first is gone.
    (TWINS, f"T[k] = A[k] * 3.0; {HALVES}", ALL, "B[j] = T[j]"),
]


def calls(kind: type) -> list[list[object]]:
    chance = np.random.default_rng(11)
    return [[*chance.standard_normal((2, 15)).astype(kind), n] for n in SIZES]


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("program", PROGRAMS)
def test_results(program: tuple[str, ...], kind: type) -> None:
    for more in ("", " | split c.j 3", " | unroll c.j 2"):
        text = TWO.format(f"compute_inline p{more}", *program, kind=kind.__name__)
        new = same(text, *calls(kind))
        assert "T" not in new.partition("applied")[2].partition("\n")[2]


def test_a_reader_that_reads_itself_goes_on() -> None:
    text = """
import numpy as np
# looptx: compute_inline p
def f(A, n):
    T = np.zeros(n + 1)
    # looptx: nest p
    for k in range(1):
        T[k] = A[n] * 2.0
    # looptx: nest c
    for j in range(n):
        T[j + 1] = T[j] + A[j]
    s = 0.0
    # looptx: nest d
    for j in range(1, n + 1):
        s += T[j]
    return s
"""
    new = same(text, *[[a, n] for a, _, n in calls(float)])
    assert "T[1] = np.float64(A[n] * 2.0) + A[0]" in new


def test_only_what_has_one_cell_in_each_iteration_is_computed_there() -> None:
    """Of three cells and three writers no iterations are told apart."""
    read = "B[j] = T[j] + T[j + 1] + T[j + 2]"
    text = TWO.format(
        "compute_inline p", TWINS, HALVES, "j in range(n - 1)", read, kind="float64"
    )
    assert "it may get a value of line" in refusal(text)


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        ("k // 4, k % 4", "j // 4, 3 - j % 4"),
        ("k % 4, k // 4", "3 - j % 4, j // 4"),
        ("k // 6, k // 2 % 3, k % 2", "j // 8, j % 3, 1"),
        ("k // 3, k % 3", "j // 6, 2 - j % 3"),
    ],
)
def test_a_quotient_and_its_remainder_say_which_iteration_wrote(
    cell: str, read: str
) -> None:
    shape = ", ".join(["n + 4", "4", "4"][: cell.count(",") + 1])
    if cell.startswith("k %"):
        shape = "4, n + 4"
    text = TWO.format(
        "compute_inline p",
        f"zeros(({shape}))",
        f"T[{cell}] = A[k] * 2.0",
        "j in range(n)",
        f"B[j] = T[{read}] + 1.0",
        kind="float64",
    )
    text = text.replace("range(n):\n        T", "range(n + 4):\n        T")
    new = same(text, *calls(np.float64))
    assert "T[" not in new.partition("applied")[2]


def test_a_quotient_alone_does_not_say_which_iteration_wrote() -> None:
    given = "zeros(n)", "T[k // 2] = A[k]", "j in range(n)", "B[j] = T[j // 2]"
    text = TWO.format("compute_inline p", *given, kind="float64")
    assert "LX106" in refusal(text)


def test_in_rows_that_run_in_parallel() -> None:
    text = """
import numpy as np
# looptx: compute_inline p | parallel c.i | tile c.i=2 c.j=3
def f(A, B, n):
    T = np.zeros((n, 2 * n))
    # looptx: nest p
    for i in range(n):
        for k in range(n):
            T[i, k] = A[i, k] + A[i, k + n]
            T[i, k + n] = A[i, k] - A[i, k + n]
    # looptx: nest c
    for i in range(n):
        for j in range(2 * n):
            B[i, j] = T[n - 1 - i, j] * 2.0
"""
    chance = np.random.default_rng(12)
    same(text, *[[*chance.standard_normal((2, 15, 15)), n] for n in SIZES])


def test_native(tmp_path: Path) -> None:
    head = "import looptx"
    body = TWO.format("HERE", *PROGRAMS[2], kind="float32")
    body = body.replace("# looptx: HERE", '@looptx.kernel("compute_inline p")')
    (tmp_path / "inline_butterfly.py").write_text(f"{head}\n{body}")
    sys.path.insert(0, str(tmp_path))
    try:
        function: Any = importlib.import_module("inline_butterfly").f
    finally:
        sys.path.remove(str(tmp_path))
    for a, b, n in calls(np.float32):
        assert isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
        one, other = b.copy(), b.copy()
        function.py_func(a, one, n)
        function(a, other, n)
        assert one.tobytes() == other.tobytes()
    assert "native call" in str(function.report())


UPDATES = """
import numpy as np
# looptx: compute_inline p
def f(A: "float64[:]", B: "float64[:]", n: int):
    T = np.zeros(n)
    # looptx: nest p
    for k in range(n):
        T[k] = A[k] * 3.0
        {}
    for j in range(n):
        B[j] = T[j] + 2.0
"""


def test_what_a_nest_changes_in_place_is_one_expression() -> None:
    text = UPDATES.format("T[k] = T[k] + A[k + n]")
    new = same(text, *calls(np.float64))
    assert "T" not in new.partition("applied")[2].partition("\n")[2]


@pytest.mark.parametrize(
    "change", ["if k > 2: T[k] = T[k] + 1.0", "T[k] = T[n - 1 - k] + 1.0"]
)
def test_what_reads_its_own_array_is_no_producer(change: str) -> None:
    assert "reads `T` itself" in refusal(UPDATES.format(change))


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("cut p.k 2", "T[k] = A[k] * 1.5"),
        ("cut p.k 1 n-1", "T[k] = A[k] * 1.5"),
        ("cut p.k n//2", HALVES),
        ("distribute p.k", HALVES),
        ("cut c.j 3 | cut p.k 1", HALVES),
    ],
)
def test_a_nest_that_is_cut_or_distributed(before: str, body: str) -> None:
    last = "B[j] = T[j] + 0.5" if body == HALVES else "B[j] = T[j // 2] + 0.5"
    head = f"{before} | compute_inline p"
    text = TWO.format(head, TWINS, body, ALL, last, kind="float64")
    new = same(text, *calls(np.float64))
    assert "T[" not in new.partition("applied")[2]


RANGES = """
import numpy as np
# looptx: {}
def f(A: "float64[:]", B: "float64[:]", n: int):
    T = np.zeros(2 * n)
    # looptx: nest p
    for i in range(min(n, 3)):
        T[i] = A[i] * 2.0
    # looptx: nest q
    for i in range({}):
        {}
    # looptx: nest c
    for i in range(n):
        B[i] = T[i] + T[n - 1 - i]
    # looptx: nest again
    for i in range(2 * n):
        T[i] = A[i] - 1.0
    # looptx: nest d
    for i in range(n):
        B[i] += T[2 * i] + T[i] * T[i + 1]
"""


@pytest.mark.parametrize("rows", ["3, n", "n - 1, 1, -2"])
@pytest.mark.parametrize("nests", ["p", "q", "p q", "q again"])
def test_nests_that_write_an_array_one_after_another(nests: str, rows: str) -> None:
    text = RANGES.format(f"compute_inline {nests}", rows, "T[i] = A[i] * 3.0")
    same(text, *calls(float))


def test_readers_that_cannot_compute_a_value_they_do_not_read() -> None:
    text = RANGES.format("compute_inline p", "n", "T[i] = 2.0")
    code = "T[i] = A[i] - 1.0; T[i // 2] += T[i] * 2.0"
    same(text.replace("T[i] = A[i] - 1.0", code), *calls(float))
    text = RANGES.format("compute_inline p", "3, n", "T[i] = 2.0")
    wrong = refusal(text.replace("T[i] = A[i] - 1.0", "T[i] += 1.0"))
    assert "LX201" in wrong
    assert "line 17 reads values of line 8 and others" in wrong


MIXED = """
import numpy as np
# looptx: compute_inline p
def f(A: "float64[:, :]", B: "float64[:, :]", n: int):
    T = np.zeros((3 * n, 4 * n))
    # looptx: nest p
    for i in range(n):
        for j in range(n):
            {} = A[i, j]
    # looptx: nest c
    for i in range(n):
        for j in range(n):
            {}
    return B
"""


@pytest.mark.parametrize(
    ("cell", "reader"),
    [
        ("T[i + j, j]", "B[i, j] = T[i + j, j]"),
        ("T[i + j, j]", "B[i, j] = T[n - 1, j]"),
        ("T[i + j, j]", "B[i, j] = T[j + i, i] - T[i + j, j]"),
        ("T[i + j, i + 2 * j]", "B[i, j] = T[i + j, i + 2 * j]"),
        ("T[i + j, n + i - j]", "B[i, j] += T[i + j, n + i - j]"),
        ("T[2 * i + j, i + j]", "B[i, j] = T[2 * i + j, i + j] * T[2 * j + i, i + j]"),
    ],
)
def test_cells_of_which_each_subscript_has_several_loops(
    cell: str, reader: str
) -> None:
    """Which iteration wrote a cell follows from all subscripts together."""
    chance = np.random.default_rng(8)
    sets = [(*chance.standard_normal((2, 7, 7)), n) for n in SIZES]
    assert "T[" not in same(MIXED.format(cell, reader), *sets).partition("applied")[2]
