"""Estimates of what loops do, against what they do when they are run and counted."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

import pytest

from looptx.native.ahead.extension import extension_text

HEAD = """\
import numpy as np
import numpy.typing as npt
Matrix = npt.NDArray[np.float64]
def f(A: Matrix, B: Matrix, p: npt.NDArray[np.int64], n: int, m: int):
"""


def lines(loops: str) -> list[str]:
    """The Cython of the loops."""
    body = "".join(f"    {line}\n" for line in loops.strip().split("\n"))
    return extension_text(HEAD + body, "<subject>").text.split("\n")


def estimate(loops: str, n: int, m: int) -> float | None:
    """What the text computes for the first parallel loop; None for nothing."""
    text = lines(loops)
    at = next(k for k, line in enumerate(text) if "lx_prange(" in line)
    found = re.search(r"lx_worth\(lx_threads\(threads, \d+\), (.*), [\d.]+\)", text[at])
    if found is None:
        return None
    names: dict[str, object] = {"n": n, "m": m, "min": min, "max": max}
    names |= {"lx_floordiv": operator.floordiv, "lx_mod": operator.mod}
    for line in text[:at]:
        if re.match(r" +\w+_middle\w* = ", line):
            exec(line.strip(), names)
    return float(eval(found[1], names))


def count(loops: str, n: int, m: int, weight: int) -> int:
    """How often the innermost statement runs, times what it takes."""
    plain = re.sub(r"^(\s*)[AB]\[.*$", r"\1runs.append(1)", loops.strip(), flags=re.M)
    names: dict[str, object] = {"n": n, "m": m, "runs": []}
    exec(plain, names)
    runs = names["runs"]
    assert isinstance(runs, list)
    return len(runs) * weight


SHAPES = {
    "a rectangle": (
        4,
        """
# looptx: parallel i
for i in range(n):
    for j in range(m):
        A[i, j] = 2.0 * B[i, j]
""",
    ),
    "backwards, by threes": (
        4,
        """
# looptx: parallel i
for i in range(n - 1, -1, -3):
    for j in range(2, m):
        A[i, j] = 2.0 * B[i, j]
""",
    ),
    "a triangle, with a division": (
        12,
        """
# looptx: parallel i
for i in range(n):
    for j in range(i + 1):
        A[i, j] = 2.0 * B[i, j] / 3.0
""",
    ),
    "triangles in a triangle": (
        4,
        """
# looptx: parallel i
for i in range(n):
    for j in range(i):
        for k in range(j, i):
            A[i, j] = 2.0 * B[i, k]
""",
    ),
    "blocks": (
        3 + 32,
        """
# looptx: tile i=16 j=32 | parallel i
for i in range(n):
    for j in range(m):
        A[i, j] = max(B[i, j], 0.0)
""",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_estimate_is_what_the_loops_do(shape: str) -> None:
    weight, loops = SHAPES[shape]
    for n, m in ((100, 130), (131, 96)):  # what is cubic is off by a quarter
        found = estimate(loops, n, m)
        assert found == pytest.approx(count(loops, n, m, weight), rel=0.3)


def test_empty_loops_do_less_than_an_iteration() -> None:
    for shape in ("a rectangle", "blocks", "backwards, by threes"):
        weight, loops = SHAPES[shape]
        for sizes in ((0, 100), (100, 0), (0, 0)):
            found = estimate(loops, *sizes)
            assert found is not None and 0 <= found < 100 * weight


UNKNOWN = """
# looptx: parallel i
for i in range(n):
    for j in range(p[i], p[i + 1]):
        A[i, 0] += B[i, j]
"""


def test_loops_whose_ends_depend_on_data_have_their_threads() -> None:
    assert estimate(UNKNOWN, 1, 1) is None


COUNTED: list[tuple[str, Callable[[int], float]]] = [
    ("for i in range(n):", lambda n: n),
    ("for i in range(3, n):", lambda n: n - 3),
    ("for i in range(n, 3, -1):", lambda n: n - 3),
    ("for i in range(0, n, 4):", lambda n: n / 4),
]


@pytest.mark.parametrize(("header", "runs"), COUNTED)
def test_least_counts_iterations(header: str, runs: Callable[[int], float]) -> None:
    loops = f"# looptx: parallel i least=7\n{header}\n    A[i, 0] = 1.0"
    line = next(one for one in lines(loops) if "lx_prange(" in one)
    found = re.search(r"lx_worth\(lx_threads\(threads, 0\), (.*), (\d+)\)", line)
    assert found is not None
    for n in range(3, 60):
        shared = eval(found[1], {"n": n}) >= int(found[2])
        whole = -(-runs(n) // 1)
        assert shared == (whole >= 7)
