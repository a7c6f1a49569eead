"""``compute_inline`` and ``reverse_compute_inline``, against CPython to the bit."""

from __future__ import annotations

import copy
import importlib
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.carried import refusal, same, transformed

SIZES = (0, 1, 2, 3, 5, 7, 13)

BLUR = """
import numpy as np
# looptx: {}
def f(A, B, n, m):
    T = np.empty((n + 2, m))
    # looptx: nest rows
    for i in range(n + 2):
        for j in range(m):
            T[i, j] = A[i, j] + 0.3 * A[i, j + 1]
    # looptx: nest square
    for i in range(n):
        for j in range(m):
            B[i, j] = T[i, j] - T[i + 1, j] / T[i + 2, j]
    return B
"""
CHAIN = """
import numpy as np
# looptx: {}
# looptx: assume m > 0
def f(A, B, n, m):
    S = np.zeros((m, n), np.float32)
    T = np.empty(n, dtype=np.float32)
    # looptx: nest scale
    for p in range(m):
        for q in range(n - 1, -1, -1):
            half = A[q, p] * 0.5
            S[p, q] = half + q
    # looptx: nest pick
    for k in range(n):
        T[n - 1 - k] = S[0, k] * 1.1 if k % 2 else S[0, k]
    # looptx: nest both
    for i in range(n):
        for j in range(m):
            if T[i] > S[j, i]:
                B[i, j] += T[i] * S[j, i]
    # looptx: nest sums
    for i in range(n):
        for j in range(m):
            B[i, 0] += T[i]
    return B
"""
RELU = """
import numpy as np
# looptx: {}
def f(A, B, n, m):
    T = np.empty((n, m))
    # looptx: nest mul
    for i in range(n):
        for j in range(m):
            T[i, j] = A[i, j] * 2.0 - 3.0
    # looptx: nest relu
    for p in range(m):
        for q in range(1, n):
            B[n - q, p] = max(T[q, p], 0.0) + p
    return B
"""


def cases(kind: type = np.float64) -> list[tuple[np.ndarray, np.ndarray, int, int]]:
    """Arguments at small and uneven sizes."""
    chance = np.random.default_rng(3)
    return [
        (
            (chance.random((n + 3, m + 3)) * 9).astype(kind),
            np.ones((n + 1, m + 1)),
            n,
            m,
        )
        for n in SIZES
        for m in (1, 4)
    ]


@pytest.mark.parametrize(
    ("program", "directives"),
    [
        (BLUR, "compute_inline rows"),
        (BLUR, "tile square.i=3 square.j=2 | compute_inline rows"),
        (BLUR, "compute_inline rows | parallel square.i | cache_read A at square.i"),
        (BLUR, "split rows.i 4 | compute_inline rows | skew square.j square.i"),
        (CHAIN, "compute_inline scale"),
        (CHAIN, "compute_inline scale pick"),
        (CHAIN, "compute_inline pick scale"),
        (CHAIN, "compute_inline pick | compute_inline scale | reorder sums.j sums.i"),
        (CHAIN, "compute_inline pick | compute_at scale both.i"),
        (RELU, "reverse_compute_inline relu"),
        (RELU, "tile mul.i=3 mul.j=2 | reverse_compute_inline relu"),
        (RELU, "reverse_compute_inline relu | tile mul.i=3 mul.j=2 | parallel mul.i"),
        (RELU, "compute_inline mul"),
    ],
)
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_results(program: str, directives: str, kind: type) -> None:
    new = same(program.format(directives), *cases(kind))
    assert program is CHAIN or "T = " not in new


def test_what_is_inlined_is_gone() -> None:
    new = same(CHAIN.format("compute_inline scale pick"), *cases())
    inside, _, fallback = new.partition("else:\n        S")
    assert fallback
    assert not re.search(r"\b(T|S|half)\b", inside.partition("applied")[2])
    # S rounds each value; what T is made of is a float32 then, whatever it is.
    assert inside.count("np.float32(") == inside.count("A[")


def test_rounding() -> None:
    """A float32 array rounds, and nothing is written where the type is sure."""
    program = """
import numpy as np
# looptx: compute_inline p
def f(A: "float64[:]", B, n: int):
    T = np.empty(n, {})
    # looptx: nest p
    for i in range(n):
        T[i] = A[i] / 3 + i
    for i in range(n):
        B[i] = T[i] * T[i]
    return B
"""
    calls = [(np.random.default_rng(1).random(n), np.zeros(n), n) for n in SIZES]
    single = same(program.format("np.float32"), *calls)
    assert "np.float32(A[i] / 3 + i) * np.float32(A[i] / 3 + i)" in single
    double = same(program.format("np.float64"), *calls)
    assert "B[i] = (A[i] / 3 + i) * (A[i] / 3 + i)" in double


@pytest.mark.parametrize("value", [300.5, -3.7, np.nan, np.inf, 7.0])
def test_integers_that_do_not_fit(value: float) -> None:
    """An array of integers refuses what its type, called, would wrap around."""
    program = """
import numpy as np
# looptx: compute_inline p
def f(A, B, n):
    T = np.empty(n, np.int8)
    # looptx: nest p
    for i in range(n):
        T[i] = A[i] + i
    for i in range(n):
        B[i] = T[i]
    return B
"""
    arguments = np.full(3, value), np.zeros(3), 3
    new = transformed(program)
    assert "np.int8(int(A[i] + i))" in new
    results = []
    for text in (program, new):
        scope: dict[str, Any] = {}
        exec(text, scope)
        try:
            results.append(scope["f"](*copy.deepcopy(arguments)).tobytes())
        except (OverflowError, ValueError) as error:
            results.append(type(error))
    assert results[0] == results[1]


def test_reuse_of_an_array() -> None:
    """Of an array that is written twice, each reader has the values before it."""
    program = """
import numpy as np
# looptx: compute_inline {}
def f(A, B, n, m):
    T = np.empty(n)
    # looptx: nest a
    for i in range(n):
        T[i] = A[i, 0] + 1
    for i in range(n):
        B[i, 0] = T[i]
    # looptx: nest b
    for i in range(n):
        T[n - 1 - i] = A[i, 0] * 2
    for i in range(n):
        B[i, 1] = T[i]
    return B
"""
    assert "T" in same(program.format("a"), *cases())
    assert "np.empty" in same(program.format("b"), *cases())
    assert "np.empty" not in same(program.format("a b"), *cases())


TRAPS = {
    "a caller sees it": (
        """
# looptx: compute_inline a
def f(A, T, B, n):
    # looptx: nest a
    for i in range(n):
        T[i] = A[i] + 1
    for i in range(n):
        B[i] = T[i]
""",
        "LX201",
    ),
    "what it reads changes before the read": (
        """
import numpy as np
# looptx: compute_inline a
def f(A, B, n):
    T = np.empty(n)
    # looptx: nest a
    for i in range(n):
        T[i] = A[i] + 1
    for i in range(n):
        A[n - 1 - i] = T[i]
""",
        "LX201",
    ),
    "a read in between of a cell that it does not write": (
        """
import numpy as np
# looptx: compute_inline a
def f(A, B, n):
    T = np.zeros(n)
    # looptx: nest a
    for i in range(1, n):
        T[i] = A[i] + 1
    for i in range(n):
        B[i] = T[i]
""",
        "LX201",
    ),
    "a sum": (
        """
import numpy as np
# looptx: compute_inline a
def f(A, B, n):
    T = np.zeros(n)
    # looptx: nest a
    for i in range(n):
        for j in range(n):
            T[i] += A[i, j]
    for i in range(n):
        B[i] = T[i]
""",
        "LX106",
    ),
    "a cell that is written twice": (
        """
import numpy as np
# looptx: compute_inline a
def f(A, B, n):
    T = np.zeros(n)
    # looptx: nest a
    for i in range(n):
        T[i // 2] = A[i]
    for i in range(n):
        B[i] = T[i // 2]
""",
        "LX106",
    ),
    "outside of the array": (
        """
import numpy as np
# looptx: compute_inline a
def f(A, B, n: int, m):
    T = np.empty(n)
    # looptx: nest a
    for i in range(m):
        T[i] = A[i] + 1
    for i in range(m):
        B[i] = T[i]
""",
        "LX207",
    ),
    "two cells of one array": (
        """
import numpy as np
# looptx: reverse_compute_inline c
def f(A, B, n):
    T = np.empty(n + 1)
    for i in range(n + 1):
        T[i] = A[i] + 1
    # looptx: nest c
    for i in range(n):
        B[i] = T[i] + T[i + 1]
""",
        "LX106",
    ),
    **{
        f"a cell that {why}": (
            f"""
import numpy as np
# looptx: reverse_compute_inline c
def f(A, B, X, n, m):
    T = np.ones((n, m))
    for i in range(n):
        for j in range(m):
            T[i, j] = A[i] * 3
    # looptx: nest c
    for i in range(n):
        for j in range(m):
            B[i, j] = 2 * T[i, {subscript}]
""",
            "LX106",
        )
        for why, subscript in (("wraps around", "(j + 1) % m"), ("data says", "X[j]"))
    },
    **{
        f"a cell that is given {value}": (
            f"""
import numpy as np
# looptx: compute_inline p
def f(A, B, n):
    T = np.empty(n, bool)
    # looptx: nest p
    for i in range(n):
        T[i] = {value}
    for i in range(n):
        B[i] = T[i]
""",
            "LX106",
        )
        for value in ("(A[i], 2)", "[A[i]]", "A[i] if n else (0,)")
    },
    "a row that data says": (
        """
import numpy as np
# looptx: reverse_compute_inline c
def f(A, B, X, n, m):
    T = np.ones(n)
    for i in range(n):
        T[i] = A[i] * 3
    # looptx: nest c
    for i in range(n):
        B[i] = 2 * T[X[i]]
""",
        "LX106",
    ),
    "an unfinished sum": (
        """
import numpy as np
# looptx: reverse_compute_inline c
def f(A, B, n):
    T = np.zeros(n)
    for i in range(n):
        for j in range(n):
            T[i] += A[i, j]
    # looptx: nest c
    for i in range(n):
        B[i] = max(T[i], 0.0)
""",
        "LX106",
    ),
    "a cell that is written again": (
        """
import numpy as np
# looptx: reverse_compute_inline c
def f(A, B, n):
    T = np.zeros(n)
    for i in range(n):
        T[i] = A[i]
    for i in range(n):
        T[n - 1 - i] = A[i] + 1
    for i in range(0, n, 2):
        T[i] = A[i] * 2
    # looptx: nest c
    for i in range(n):
        B[i] = T[i]
""",
        "LX201",
    ),
}


@pytest.mark.parametrize("name", TRAPS)
def test_traps(name: str) -> None:
    program, code = TRAPS[name]
    assert code in refusal(program)


def test_what_a_reader_changes_itself() -> None:
    """A simple reader has all its operands before it writes."""
    program = """
import numpy as np
# looptx: compute_inline a
def f(A, n):
    T = np.empty(n)
    # looptx: nest a
    for i in range(n):
        T[i] = A[i] + 1
    for i in range(n):
        A[i] = A[i] * T[i]
    return A
"""
    same(program, *((np.arange(n) / 3, n) for n in SIZES))


def test_what_stays() -> None:
    """A consumer of some cells stands under a condition; others read the array."""
    program = """
# looptx: reverse_compute_inline c
def f(A, T, B, n):
    # looptx: nest p
    for i in range(n):
        T[i] = A[i] * 2.0
    # looptx: nest c
    for i in range(0, n, 3):
        B[i] = T[i] + i
    return B
"""
    calls = [(np.arange(n) / 7, np.zeros(n), np.ones(n), n) for n in SIZES]
    new = same(program, *calls)
    assert "T[i] = A[i] * 2.0" in new
    assert new.count("for ") == 1


def native(folder: Path, name: str, program: str, directives: str) -> Any:
    """The function of a program, decorated."""
    verbs = ", ".join(map(repr, directives.split(" | ")))
    text = program.replace("# looptx: assume m > 0\n", "")
    verbs += ', "assume m > 0"' if text != program else ""
    text = text.replace("# looptx: {}", f"@looptx.kernel({verbs})")
    (folder / f"{name}.py").write_text(f"import looptx\n{text}")
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name).f
    finally:
        sys.path.remove(str(folder))


@pytest.mark.parametrize(
    ("name", "program", "directives"),
    [
        ("inline_blur", BLUR, "compute_inline rows | parallel square.i"),
        (
            "inline_power",
            BLUR.replace("0.3 * A[i, j + 1]", "A[i, j + 1] ** -1"),
            "compute_inline rows",
        ),
        ("inline_chain", CHAIN, "compute_inline scale pick"),
        ("inline_relu", RELU, "reverse_compute_inline relu"),
    ],
)
def test_native(name: str, program: str, directives: str, tmp_path: Path) -> None:
    function = native(tmp_path, name, program, directives)
    for kind in (np.float64, np.float32):
        for a, b, n, m in cases(kind):
            one = function.py_func(a.copy(), b.copy(), n, m)
            other = function(a.copy(), b.copy(), n, m)
            assert one.tobytes() == other.tobytes()
    assert "native call" in str(function.report())


def test_each_of_several_reads_of_a_cell_counts_where_it_happens() -> None:
    """The second read is of cells that the first never reads: they are loaded late."""
    text = """
import numpy as np
# looptx: compute_inline p | cache_read B at i
def f(A: "float64[:, :]", B: "float64[:]", C: "float64[:, :]", n: int):
    T = np.empty(n)
    for i in range(n):
        for j in range(i + 1, n):
            B[j] = A[i, j]
        # looptx: nest p
        for k in range(n):
            T[k] = B[k] * 2.0
        # looptx: nest c
        for j in range(n):
            C[i, j] = (T[j] if j < i else 0.0) + (T[j] if j > i else 0.0)
"""
    assert "LX201" in refusal(text)
    for left in ("(T[j] if j < i else 0.0)", "(T[j] if j > i else 0.0)"):
        alone = text.replace(
            "(T[j] if j < i else 0.0) + (T[j] if j > i else 0.0)", left
        )
        if "<" in left:
            array = np.arange(64.0).reshape(8, 8)
            arrays = array, np.ones(8), np.zeros((8, 8))
            same(alone, *((*arrays, n) for n in SIZES[:-1]))
        else:
            assert "LX201" in refusal(alone)


def test_a_read_for_sure_is_not_one_of_other_iterations() -> None:
    text = """
import numpy as np
# looptx: compute_inline p
def f(A, C, n, x):
    T = np.empty(n)
    # looptx: nest p
    for i in range(n):
        T[i] = 1.0 / (x - i)
    # looptx: nest c
    for i in range(n):
        C[i] = (T[i] if A[i] > 0.0 else 0.0) + (T[i] if i > 3 else 0.0)
"""
    assert "LX203" in refusal(text)
    sure = text.replace("T[i] if A[i] > 0.0 else 0.0", "T[i] if i < 4 else 0.0")
    same(sure, *((np.ones(8), np.zeros(8), n, 1000) for n in SIZES[:-1]))


HALVES = """
import numpy as np
# looptx: {}
def f(A, B, C, n):
    S = np.empty(n)
    T = np.empty(n)
    # looptx: nest e
    for i in range(n):
        S[i] = A[i] * 2
    # looptx: nest d
    for i in range(n):
        B[i] = S[i // 2]
    # looptx: nest p
    for i in range(n):
        T[i] = A[i] * 2
    # looptx: nest c
    for i in range(n):
        C[0] += T[i // 2]
"""


@pytest.mark.parametrize(
    "directives",
    [
        "reverse_compute_inline d | reverse_compute_inline c",
        "split d.i 2 | split c.i 2 | compute_inline e p",
        "split d.i 4 2 | split c.i 4 2 | compute_inline e p",
    ],
)
def test_a_loop_that_only_an_inlined_subscript_reads(directives):
    """The subscript is that of the source, whatever else it is in the loops."""
    calls = [(np.arange(1.0, n + 1), np.zeros(n), np.zeros(1), n) for n in SIZES]
    assert " _i" not in same(HALVES.format(directives), *calls)


PARTS = """
import numpy as np
# looptx: compute_inline p
def f(A: "float64[:]", B: "float64[:]", n):
    U = np.{}
    # looptx: nest p
    for i in range(n):
        {}
    # looptx: nest q
    for i in range(n):
        {}
"""


@pytest.mark.parametrize(
    ("made", "writes", "reads"),
    [
        (
            "empty((n, 2))",
            "U[i, 0] = A[i]; U[i, 1] = A[n - 1 - i]",
            "B[i] = U[i, 0] * U[i, 1]",
        ),
        (
            "empty((2, n))",
            "U[0, i] = A[i]; U[1, i] = 2.0",
            "B[i] = U[1, i] - U[0, n - 1 - i]; B[i] += U[0, i]",
        ),
        (
            "empty((n, 3))",
            "U[i, 2] = A[i]; U[i, 0] = 3.0",
            "B[i] = U[i, 0] if A[i] > 0 else U[i, 2]",
        ),
        # The last of one cell is the first.
        ("empty((n, 1))", "U[i, 0] = A[i]", "B[i] = U[i, 0] * U[i, -1]"),
    ],
)
def test_each_read_of_an_array_has_a_writer_of_its_own(
    made: str, writes: str, reads: str
) -> None:
    chance = np.random.default_rng(6)
    sets = [(*chance.standard_normal((2, 9)), n) for n in (0, 1, 2, 5, 9)]
    source = PARTS.format(made, writes, reads)
    assert "U" not in same(source, *sets).partition("applied")[2].partition("\n")[2]


@pytest.mark.parametrize(
    ("made", "writes", "reads", "why"),
    [
        (
            "zeros((n, 2))",
            "U[i, 0] = A[i]",
            "B[i] = U[i + 1, 0] + U[i, 1]",
            "where line 11 reads what line 8 assigns, it may get what `U` held before",
        ),
        # The three writers of what three reads get are not told apart.
        (
            "zeros(3 * n)",
            "U[i] = A[i]; U[i + n] = 2.0; U[i + 2 * n] = 3.0",
            "B[i] = U[i] + U[i + n] + U[i + 2 * n]",
            "where line 11 reads what line 8 assigns, it may get a value of line 8",
        ),
    ],
)
def test_what_may_be_of_another_is_refused(
    made: str, writes: str, reads: str, why: str
) -> None:
    assert why in refusal(PARTS.format(made, writes, reads))


def test_what_else_a_reader_reads_of_an_array_stays() -> None:
    reads = "B[i] = U[i, 0] + U[n - 1 - i, 0] + U[i, 1]"
    source = PARTS.format("zeros((n, 2))", "U[i, 0] = A[i]", reads)
    chance = np.random.default_rng(7)
    sets = [(*chance.standard_normal((2, 9)), n) for n in (0, 1, 2, 5, 9)]
    assert "A[n - i - 1] + U" in same(source, *sets)


THERE = """
import numpy as np
def f(A, B, n: int):
    T = np.zeros(2 * n + 2)
    # looptx: reverse_compute_inline s2{}
    for i in range(1, n):
        # looptx: nest s1
        T[i] = A[i] * 2.0
        {}
        # looptx: nest s2
        {}
"""


@pytest.mark.parametrize(
    ("more", "between", "reader"),
    [
        ("", "pass", "B[i] = T[i] + 1.0"),
        (" | split i 3", "A[i - 1] = 4.0", "B[i] = T[i] + 1.0"),
        ("", "pass", "for j in range(3): B[i] = T[i] + j"),
        (" | parallel i", "pass", "B[i] = T[i] * T[i]"),
    ],
)
def test_a_reader_that_stands_in_the_loop_of_the_writer(
    more: str, between: str, reader: str
) -> None:
    chance = np.random.default_rng(2)
    text = THERE.format(more, between, reader)
    new = same(text, *((*chance.standard_normal((2, 9)), n) for n in (0, 1, 2, 3, 7)))
    assert "T[" not in new.partition("applied")[2]


@pytest.mark.parametrize(
    ("between", "reader", "code"),
    [
        ("pass", "B[i] = T[i - 1] + 1.0", "what another iteration wrote"),
        ("pass", "B[i] = T[i + n] + 1.0", "what another iteration wrote"),
        ("A[i] = 4.0", "B[i] = T[i] + 1.0", "LX201"),
    ],
)
def test_a_reader_that_stands_in_that_loop_and_cannot_be_computed_there(
    between: str, reader: str, code: str
) -> None:
    assert code in refusal(THERE.format("", between, reader))


EARLIER = """
import numpy as np
# looptx: compute_inline p
def f(A, B, n: int):
    T = np.empty((n, n))
    for t in range(n):
        s = A[t, 0]
        # looptx: nest p
        for j in range(n):
            T[t, j] = s + A[t, j]
    {}
    return B
"""
WITHIN = """    # looptx: nest c
        for j in range(n):
            {}"""
BEHIND = """# looptx: nest c
    for t in range(n):
        for j in range(n):
            {}"""


@pytest.mark.parametrize(
    ("where", "reader"),
    [
        (WITHIN, "B[t, j] = T[t, j] * T[t, n - 1 - j]"),
        (WITHIN, "B[t, j] = T[t, j] * T[t, n - 1 - j] + s"),
        # What each round gave the number is kept.
        (BEHIND, "B[t, j] = T[t, j] * T[t, n - 1 - j]"),
        (BEHIND, "B[t, j] = T[n - 1 - t, j]"),
    ],
)
def test_what_the_loop_around_gives_a_number_is_that_of_the_round(
    where: str, reader: str
) -> None:
    chance = np.random.default_rng(5)
    sets = [(*chance.standard_normal((2, 13, 13)), n) for n in SIZES]
    new = same(EARLIER.format(where.format(reader)), *sets)
    assert "T[" not in new.partition("applied")[2]


def test_numbers_of_several_rounds_are_refused() -> None:
    reader = BEHIND.format("B[t, j] = T[t, j] * T[n - 1 - t, j]")
    said = refusal(EARLIER.format(reader))
    assert "LX203 unknown: which of its values `s` has where line 10 is" in said


CHANGED = """
import numpy as np
# looptx: compute_inline a
def f(A, B, n):
    T = np.empty(n)
    # looptx: nest a
    for i in range(n):
        T[i] = A[i] + 1
    for i in range(n):
        {}
    return A, B
"""


def test_readers_that_assign_in_place_have_read_before() -> None:
    chance = np.random.default_rng(3)
    sets = [(*chance.standard_normal((2, 13)), n) for n in SIZES]
    same(CHANGED.format("A[i] *= T[i]"), *sets)


@pytest.mark.parametrize(
    ("reader", "why"),
    [
        ("A[i], B[i] = T[i], 2.0", "LX203 unknown: whether line 10 changes what"),
        ("A[i] = B[i] = T[i] * A[i]", "LX203 unknown: whether line 10 changes what"),
        ("for k in range(i % 3): A[i] = T[i]", "LX201"),
    ],
)
def test_readers_that_may_write_before_they_read_are_refused(
    reader: str, why: str
) -> None:
    assert why in refusal(CHANGED.format(reader))
