"""Functions that return in many places: what they compute, and how soon it is known."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from kit.calls import imported, same

import looptx

pytestmark = pytest.mark.usefixtures("rehearsed")

MANY = 13


def lines(values: tuple[str, ...], call: str) -> Iterator[str]:
    """A function that returns one of the values in many places, and a loop.

    Args:
        values: those. call: what the loop does with them.
    """
    yield "def many(A, i, c):"
    yield "    d = c"
    for k in range(MANY):
        yield f"    if A[i] > {k}:"
        yield f"        if c > {k} + d:"
        yield f"            return {values[k % len(values)]}"
        yield f"        A[i] += {k}.25"
        yield "        d += 1"
        yield f"    elif A[i] < -{k}:"
        yield f"        for q in range({k}):"
        yield "            if A[i] + q == 2:"
        yield f"                return {values[k % len(values)]}"
    yield f"    return {values[0]}"
    yield "def use(A, c):"
    yield "    out = []"
    yield "    for i in range(len(A)):"
    yield f"        {call}"
    yield "    return out"


@pytest.mark.parametrize(
    ("values", "call"),
    [
        (("A[i]", "0.5"), "out.append(many(A, i, c))"),
        (("d", "2", "A[i]"), "out.append(many(A, i, c))"),
        (("(1, A[i])", "(d, 0.25)"), "p, q = many(A, i, c); out.append(p * q)"),
        (("",), "many(A, i, c)"),
    ],
    ids=("floats", "several types", "pairs", "nothing"),
)
def test_many_returns_are_read_soon(
    values: tuple[str, ...], call: str, tmp_path: Path
) -> None:
    text = "\n".join(lines(values, call))
    kernel = looptx.kernel(imported(tmp_path / "many.py", text).use)
    begin = time.process_time()
    same(kernel, np.zeros(1), 3)
    assert time.process_time() - begin < 8
    for n in (0, 1, 7, 31):
        for c in (-2, 0, 3, 30):
            same(kernel, np.linspace(-20.0, 14.0, n).round(), c, native=1)
