"""The order each directive gives, by enumeration, against loops written by hand."""

from __future__ import annotations

import textwrap

import pytest
from kit.nests import Run, accesses_in_order, accesses_of, boxes, nest_of

from looptx.directives import parse
from looptx.errors import Place
from looptx.model.program import Directive, Nest
from looptx.model.schedule import Schedule, initial

FILL = """
for i in range(n):
    for j in range(m):
        A[i, j] = i + 10 * j
"""
MATMUL = """
for i in range(n):
    for j in range(n):
        C[i, j] = 0
        for k in range(m):
            C[i, j] = C[i, j] + A[i, k] * B[k, j]
"""
TRIANGLE = """
for i in range(n):
    for j in range(i, m):
        A[i, j] = 1
"""
BESIDE = """
for i in range(n):
    P[i] = i
    for j in range(m):
        Q[i, j] = 0
        for k in range(2):
            R[i, j, k] = A[i, k]
        S[i, j] = R[i, j, 0]
    T[i] = 1
"""
DOWN = """
for i in range(n, -1, -2):
    for j in range(3, 3 * m + 3, 3):
        A[i, j] = 1
"""

CASES = [
    (
        FILL,
        "split i 3",
        "for b in range(0, n, 3):\n"
        "    for i in range(b, min(b + 3, n)):\n"
        "        for j in range(m):\n"
        "            A[i, j] = i + 10 * j",
    ),
    (
        FILL,
        "split i 2 | split i 2",
        "for i in range(n):\n    for j in range(m):\n        A[i, j] = i + 10 * j",
    ),
    (
        FILL,
        "tile i=2 j=3 | reorder i j ii jj",
        "for bi in range(0, n, 2):\n"
        "    for bj in range(0, m, 3):\n"
        "        for i in range(bi, min(bi + 2, n)):\n"
        "            for j in range(bj, min(bj + 3, m)):\n"
        "                A[i, j] = i + 10 * j",
    ),
    (
        FILL,
        "tile j=3 i=2 | reorder j i jj ii",
        "for bj in range(0, m, 3):\n"
        "    for bi in range(0, n, 2):\n"
        "        for j in range(bj, min(bj + 3, m)):\n"
        "            for i in range(bi, min(bi + 2, n)):\n"
        "                A[i, j] = i + 10 * j",
    ),
    (
        FILL,
        "reorder j i",
        "for j in range(m):\n    for i in range(n):\n        A[i, j] = i + 10 * j",
    ),
    (FILL, "collapse i j | parallel ij", FILL),
    (FILL, "vectorize j 4 | parallel i schedule=dynamic chunk=2 threads=3", FILL),
    (
        FILL,
        "skew i j",
        "for d in range(n + m - 1):\n"
        "    for j in range(m):\n"
        "        if 0 <= d - j < n:\n"
        "            A[d - j, j] = (d - j) + 10 * j",
    ),
    (
        FILL,
        "skew j i by -2 | reorder j i",
        "for d in range(-2 * n, m):\n"
        "    for i in range(n):\n"
        "        if 0 <= d + 2 * i < m:\n"
        "            A[i, d + 2 * i] = i + 10 * (d + 2 * i)",
    ),
    (
        FILL,
        "pad i 1 | split i 3 | reorder j ii",
        "for b in range(-1, n, 3):\n"
        "    for j in range(m):\n"
        "        for i in range(max(b, 0), min(b + 3, n)):\n"
        "            A[i, j] = i + 10 * j",
    ),
    (
        TRIANGLE,
        "reorder j i",
        "for j in range(m):\n    for i in range(min(n, j + 1)):\n        A[i, j] = 1",
    ),
    (
        TRIANGLE,
        "split j 2 | reorder j i",
        "for b in range(0, m, 2):\n"
        "    for i in range(n):\n"
        "        for j in range(max(b, i), min(b + 2, m)):\n"
        "            A[i, j] = 1",
    ),
    (
        DOWN,
        "split i 2 | reorder j ii",
        "for b in range(n, -1, -4):\n"
        "    for j in range(3, 3 * m + 3, 3):\n"
        "        for i in range(b, max(b - 4, -1), -2):\n"
        "            A[i, j] = 1",
    ),
    (
        MATMUL,
        "reorder j i k",
        "for j in range(n):\n"
        "    for i in range(n):\n"
        "        C[i, j] = 0\n"
        "        for k in range(m):\n"
        "            C[i, j] = C[i, j] + A[i, k] * B[k, j]",
    ),
    (
        MATMUL,
        "reorder k i j",
        "for i in range(n):\n"
        "    for j in range(n):\n"
        "        C[i, j] = 0\n"
        "for k in range(m):\n"
        "    for i in range(n):\n"
        "        for j in range(n):\n"
        "            C[i, j] = C[i, j] + A[i, k] * B[k, j]",
    ),
    (
        MATMUL,
        "reorder i k j",
        "for i in range(n):\n"
        "    for j in range(n):\n"
        "        C[i, j] = 0\n"
        "    for k in range(m):\n"
        "        for j in range(n):\n"
        "            C[i, j] = C[i, j] + A[i, k] * B[k, j]",
    ),
    (
        MATMUL,
        "reorder j k i",
        "for j in range(n):\n"
        "    for i in range(n):\n"
        "        C[i, j] = 0\n"
        "    for k in range(m):\n"
        "        for i in range(n):\n"
        "            C[i, j] = C[i, j] + A[i, k] * B[k, j]",
    ),
    (
        MATMUL,
        "tile i=2 j=2 k=2 | reorder i j k ii jj kk",
        "for a in range(0, n, 2):\n"
        "    for b in range(0, n, 2):\n"
        "        for i in range(a, min(a + 2, n)):\n"
        "            for j in range(b, min(b + 2, n)):\n"
        "                C[i, j] = 0\n"
        "        for c in range(0, m, 2):\n"
        "            for i in range(a, min(a + 2, n)):\n"
        "                for j in range(b, min(b + 2, n)):\n"
        "                    for k in range(c, min(c + 2, m)):\n"
        "                        C[i, j] = C[i, j] + A[i, k] * B[k, j]",
    ),
    (
        BESIDE,
        "reorder k i j",
        "for i in range(n):\n"
        "    P[i] = i\n"
        "    for j in range(m):\n"
        "        Q[i, j] = 0\n"
        "for k in range(2):\n"
        "    for i in range(n):\n"
        "        for j in range(m):\n"
        "            R[i, j, k] = A[i, k]\n"
        "for i in range(n):\n"
        "    for j in range(m):\n"
        "        S[i, j] = R[i, j, 0]\n"
        "    T[i] = 1",
    ),
    (
        BESIDE,
        "reorder j i k",
        "for i in range(n):\n"
        "    P[i] = i\n"
        "for j in range(m):\n"
        "    for i in range(n):\n"
        "        Q[i, j] = 0\n"
        "        for k in range(2):\n"
        "            R[i, j, k] = A[i, k]\n"
        "        S[i, j] = R[i, j, 0]\n"
        "for i in range(n):\n"
        "    T[i] = 1",
    ),
    (
        BESIDE,
        "reorder j k",
        "for i in range(n):\n"
        "    P[i] = i\n"
        "    for j in range(m):\n"
        "        Q[i, j] = 0\n"
        "        for k in range(2):\n"
        "            R[i, j, k] = A[i, k]\n"
        "        S[i, j] = R[i, j, 0]\n"
        "    T[i] = 1",
    ),
    (
        BESIDE,
        "reorder k i",
        "for i in range(n):\n"
        "    P[i] = i\n"
        "    for j in range(m):\n"
        "        Q[i, j] = 0\n"
        "for k in range(2):\n"
        "    for j in range(m):\n"
        "        for i in range(n):\n"
        "            R[i, j, k] = A[i, k]\n"
        "for i in range(n):\n"
        "    for j in range(m):\n"
        "        S[i, j] = R[i, j, 0]\n"
        "    T[i] = 1",
    ),
    (
        BESIDE,
        "split j 2 | reorder j i",
        "for i in range(n):\n"
        "    P[i] = i\n"
        "for b in range(0, m, 2):\n"
        "    for i in range(n):\n"
        "        for j in range(b, min(b + 2, m)):\n"
        "            Q[i, j] = 0\n"
        "            for k in range(2):\n"
        "                R[i, j, k] = A[i, k]\n"
        "            S[i, j] = R[i, j, 0]\n"
        "for i in range(n):\n"
        "    T[i] = 1",
    ),
]


def apply(nest: Nest, text: str, taken: frozenset[str] = frozenset()) -> Schedule:
    schedule = initial(nest, taken)
    for verb in parse(Directive(text, Place("t.py", 1))):
        schedule = verb.apply(schedule)
    return schedule


@pytest.mark.parametrize(("before", "text", "after"), CASES, ids=[c[1] for c in CASES])
def test_the_order_is_that_of_the_loops_written_by_hand(
    before: str, text: str, after: str
) -> None:
    nest = nest_of(before)
    schedule = apply(nest, text)
    for sizes in boxes(5, "n", "m"):
        run = Run(nest, sizes)
        order = run.order(schedule)
        assert sorted(order) == sorted(run.instances)
        arrays = nest.arrays
        expected = accesses_of(textwrap.dedent(after), arrays, sizes)
        assert accesses_in_order(run, order, arrays) == expected
