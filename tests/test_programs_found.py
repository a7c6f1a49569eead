"""Programs that random generation has found wanting once, reduced to what mattered."""

from __future__ import annotations

import pytest
from programs import Program
from programs_run import difference, rewritten

SHIFTED = '''
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
'''
"""Statements of one stride and different offsets: isl numbers loops by its own depth."""

OUTSIDE = '''
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
'''
"""A scalar that becomes an array has no cell at a statement outside its loops."""

NEVER = '''
def f(A, B, x, u, idx, n, m):
    if n > 1:
        # looptx: split i 2
        for i in range(m):
            if i < 2 and i > 1:
                x[i] = 1
    return x
'''
"""Nothing is left of a nest whose statements never run."""

NEVER_ASSUMED = NEVER.replace("split i 2", "assume n >= 3")


@pytest.mark.parametrize("text", [SHIFTED, OUTSIDE, NEVER, NEVER_ASSUMED])
@pytest.mark.parametrize("shaped", [False, True])
def test_program_does_the_same(text: str, shaped: bool) -> None:
    program = Program(text, integers=True, shaped=shaped, blocks=(4,))
    found = rewritten(program.text)
    assert not found.code, found.message
    assert not difference(program, found.text)
