"""Hints of refused moves and caches: what they say can be written is accepted."""

from __future__ import annotations

import numpy as np
import pytest
from kit.carried import refusal, same

HALO = """
import numpy as np
# looptx: {}
def f(A, B, n: int, m: int):
    T = np.zeros((n + 2, m + 2))
    # looptx: nest p
    for i in range(n + 1):
        for j in range(m + 1):
            T[i, j] = A[i, j] * 2.0
    # looptx: nest c
    for x in range(n):
        for y in range(m):
            B[x, y] = T[x, y] + T[x + 1, y + 1]
"""
SUM = """
import numpy as np
# looptx: {}
def f(A, B, n: int, m: int):
    S = np.zeros(n)
    # looptx: nest p
    for i in range(n):
        for j in range(m):
            S[i] += A[i, j]
    # looptx: nest c
    for x in range(n):
        for y in range(m):
            B[x, y] = A[x, y] / S[x]
"""
IN_PLACE = """
import numpy as np
# looptx: {}
def f(A, B, n: int, m: int):
    # looptx: nest p
    for i in range(1, n):
        for j in range(m):
            A[i, j] = A[i - 1, j] * 0.5
    # looptx: nest c
    for x in range(n - 1, 0, -1):
        for y in range(m):
            B[x, y] = A[x, y] + A[x - 1, y]
            A[x, y] = 0.0
"""
SOMETIMES = """
import numpy as np
# looptx: {}
def f(A, B, n: int, m: int):
    T = np.zeros((n, m))
    # looptx: nest p
    for i in range(n):
        for j in range(m):
            if A[i, j] > 0.0:
                T[i, j] = A[i, j]
    # looptx: nest c
    for x in range(n):
        for y in range(m):
            B[x, y] = T[x, y]
"""
SIZES = ((0, 0), (1, 1), (2, 3), (5, 4), (7, 7))


@pytest.mark.parametrize(
    ("source", "directives", "hint", "instead"),
    [
        (HALO, "compute_at p c.z", "did you mean `c.y`?", "compute_at p c.y"),
        (HALO, "simple_compute_at p c.x", "write `compute_at`", "compute_at p c.x"),
        (HALO, "cache_write A at p.i", "name one of T", "cache_write T at p.i"),
        (HALO, "cache_read B at c.x", "name one of T", "cache_read T at c.x"),
        (
            HALO,
            "cache_read T at c.y packed",
            "hint: leave `packed` out",
            "cache_read T at c.y",
        ),
        (
            HALO,
            "compute_at p c.x | parallel c.x",
            "`temp T` gives every iteration cells of its own",
            "compute_at p c.x | parallel c.x | temp T",
        ),
        *(
            (
                HALO,
                "reverse_compute_at c p.i | parallel p.i",
                "no dependence is carried by `j` or `x` or `y`",
                f"reverse_compute_at c p.i | parallel {loop}",
            )
            for loop in "jxy"
        ),
        (
            HALO,
            "compute_at p c.x | compute_at p c.x",
            "put this directive in the place of the one that moved it",
            "compute_at p c.x",
        ),
        (
            HALO,
            "fuse p c | split c.x 2",
            "name a loop of `p`, which it is fused into",
            "pad c.x 1 | pad c.y 1 | fuse p c | split p.i 2",
        ),
        (
            HALO,
            "compute_at p c.x | cache_read T at c.x",
            "put the cache before what moves into that loop",
            "cache_read T at c.x | compute_at p c.x",
        ),
        (
            HALO,
            "cache_read T at c.x | compute_inline p",
            "put this before the cache",
            "compute_inline p | cache_read A at c.x",
        ),
        (
            HALO,
            "compute_at p c.y | temp T | cache_read T at c.y",
            "`cache_write T at c.y` is legal",
            "compute_at p c.y | temp T | cache_write T at c.y",
        ),
        (
            SUM,
            "compute_at p c.y",
            "`temp S` gives every iteration cells of its own",
            "compute_at p c.y | temp S",
        ),
        (
            SUM,
            "simple_compute_at p c.y",
            "`simple_compute_at p c.x` is legal",
            "simple_compute_at p c.x",
        ),
        (SUM, "compute_inline p", "`compute_at` moves other", "compute_at p c.x"),
        *(
            (
                SUM,
                "cache_write S at p.j | parallel p.j",
                "no dependence is carried by `i` or `ax0#1` or `ax0#2`",
                f"cache_write S at p.j | parallel {loop}",
            )
            for loop in ("i", "ax0#1", "ax0#2")
        ),
        (IN_PLACE, "cache_read A", "`cache_write A` is legal", "cache_write A"),
        (
            IN_PLACE,
            "cache_read A at p",
            "`cache_write A at p` is legal",
            "cache_write A at p",
        ),
        (
            IN_PLACE,
            "simple_compute_at p d.x",
            "write one of these",
            "compute_at p c.x",
        ),
        *(
            (
                IN_PLACE,
                "cache_write A at p.i | parallel p.i",
                "`ax0#1` or `ax1#1` or `j` or `ax0#2` or `ax1#2`",
                f"cache_write A at p.i | parallel {loop}",
            )
            for loop in ("ax0#1", "ax1#1", "j", "ax0#2", "ax1#2")
        ),
        (SOMETIMES, "compute_inline p", "`compute_at` moves other", "compute_at p c.y"),
    ],
)
def test_what_a_hint_says_is_accepted(
    source: str, directives: str, hint: str, instead: str
) -> None:
    """Written in the place of what was refused it is carried out, and right."""
    assert hint in refusal(source.format(directives))
    chance = np.random.default_rng(8)
    calls = [[*chance.standard_normal((2, 9, 9)), n, m] for n, m in SIZES]
    same(source.format(instead), *calls)
