"""Loops that isl counts in ways of its own: what is generated does the same."""

from __future__ import annotations

import pytest
from fuzz.oracles import dataflow
from fuzz.oracles.arrays import difference
from fuzz.programs.reading import program
from fuzz.tiers.case import transformed
from fuzz.tiers.python import examined

from looptx.looptree.nodes import Block
from looptx.poly.codegen import generator
from looptx.poly.codegen.generator import Generator
from looptx.poly.collapse.products import Products

SHIFTED = """
def f(A, B, x, u, idx, n, m):
    n, m = A.shape
    # looptx: reorder l j
    for i in range(1, m):
        for j in range(n):
            for l in range(1, m - 1):
                if l % 2 == 1:
                    A[i - 1, l] = j + 1
                else:
                    A[i, j] = l + 1
    return A
"""
"""Statements of one stride and different offsets: isl numbers loops its own way."""

OUTSIDE = """
def f(A, B, x, u, idx, n, m):
    # looptx: reorder j l
    for l in range(n):
        for i in range(l):
            s = 1
            for j in range(m - i):
                s = max(s, i)
            B[l, i] = s
        x[l] = 2
    return B
"""
"""A scalar that becomes an array has no cell at a statement outside its loops."""

NEVER = """
def f(A, B, x, u, idx, n, m):
    if n > 1:
        # looptx: split i 2
        for i in range(m):
            if i < 2 and i > 1:
                x[i] = 1
    return x
"""
"""Nothing is left of a nest whose statements never run."""

NEVER_ASSUMED = NEVER.replace("split i 2", "assume n >= 3")


CHOICES = """
def f(A, B, x, u, idx, n, m):
    # looptx: unroll j 3
    for i in range(m):
        for j in range(n):
            for l in range(n):
                A[l, j] += 1
                if i > 2:
                    x[i] = 2
                else:
                    x[l] = 3
    return A
"""
"""After an ``else``, the opposite condition is an ``if`` again."""

LAST = """
def f(A, B, x, u, idx, n, m):
    l = 7
    # looptx: reorder j i
    for i in range(n):
        for j in range(4):
            A[i, j] = i
        for l in range(3):
            x[l] += 1
        if i < m:
            for l in range(m, 0, -2):
                x[l] += i
    return A, l
"""
"""Which of two loops over one variable runs last depends on the sizes."""

LOCAL = """
import numpy as np

# looptx: fuse first second
def f(A, B, x, u, idx, n, m):
    T = np.ones((m + 9, 3))
    # looptx: nest first
    for i in range(2):
        T[0, 0] = A[0, i]
    # looptx: nest second
    for i in range(m):
        x[0] = T[i - 1, 0]
    return x
"""
"""An array that the function allocates has the extents it says: -1 is not 0."""

PARTS = """
def f(A, B, x, u, idx, n, m):
    # looptx: nest one
    for i in range(n):
        x[i] += 1
    # looptx: collapse i j | reorder k ij | fuse one two partial=1
    # looptx: nest two
    for i in range(n):
        for j in range(m):
            for k in range(n):
                A[k, i] += B[i, j]
    return A, x
"""
"""A part of a collapsed loop gets its value inside a fused loop, not named like it."""

ODD = """
def f(A, B, x, u, idx, n, m):
    # looptx: split j 2 | collapse j jj as z
    for i in range(m):
        if i % 2 == 1:
            for j in range(n):
                if j > 0 and j < 3:
                    A[i, j] = B[j, i]
                else:
                    x[j] += u[i]
        else:
            u[i // 2] = i
    return A, x, u
"""
"""isl counts otherwise than it is told where it shifts a statement onto another."""

STEPS = """
def f(A, B, x, u, idx, n, m):
    # looptx: tile j=5 | reorder j jj | split jj parts=1 | reorder jjj j
    for i in range(m, 0, -2):
        for j in range(i, i + 3):
            x[j] = i
    return x
"""
"""isl lost the iterations of even sizes."""

LAST_ROW = """
def f(A, B, x, u, idx, n, m):
    # looptx: collapse i j as z | split z 2
    for i in range(3):
        for j in range(n):
            if i != n:
                B[i, j] = j
            else:
                B[i, j] = A[i, j]
    return B
"""
"""What one of several calls runs at does not say what all of them do."""

TEXTS = [
    SHIFTED,
    ODD,
    STEPS,
    LAST_ROW,
    OUTSIDE,
    NEVER,
    NEVER_ASSUMED,
    CHOICES,
    LAST,
    PARTS,
    LOCAL,
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("kind", ["int64", "float64"])
def test_program_does_the_same(text: str, kind: str) -> None:
    made = program(text, kind)
    verdict = examined(made, 3)
    assert (verdict.code, verdict.kind) == ("", ""), verdict.detail
    assert not difference(made, transformed(made.text()).text, 3)


@pytest.mark.parametrize("text", TEXTS)
def test_loops_that_count_positions_do_the_same(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last resort, for what isl writes in no other way."""

    def positions(products: Products, whole: frozenset[str]) -> Block:
        return Generator(products, whole, values=False).generate()

    monkeypatch.setattr(generator, "_block", positions)
    made = program(text)
    new = transformed(made.text())
    assert not new.code, new.message
    assert not dataflow.difference(made, new.text, 3)
