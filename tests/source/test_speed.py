"""Reading takes as long as what is read: counted in calls, alike on every machine."""

from __future__ import annotations

import sys
from types import FrameType

from looptx import source

NESTS = 4


def calls(text: str) -> int:
    """How many calls and iterations of generators reading a text takes."""
    count = 0

    def note(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        source.read(text, "f.py", plain=True)
    finally:
        sys.setprofile(before)
    return count


def local_arrays(count: int) -> str:
    """A function that allocates many arrays and uses them in some nests."""
    lines = ["import numpy as np", "def f(A, n, m):"]
    lines += [f"    X{at} = np.zeros((n, m))" for at in range(count)]
    for nest in range(NESTS):
        lines.append("    for i in range(n):")
        for at in range(nest, count, NESTS):
            lines.append(f"        X{at}[i, 0] = A[i] + X{(at + 1) % count}[i, 0]")
    return "\n".join(lines) + "\n"


def test_arrays_of_a_function_are_looked_at_once() -> None:
    calls(local_arrays(10))
    assert calls(local_arrays(120)) < 5 * calls(local_arrays(40))


def test_a_shape_of_many_axes_makes_no_loops() -> None:
    """An array has no axis 255; that it is asked for tells no statement's loops."""
    loop = "    for i in range(A.shape[{}]):\n        A[i] = A[i] + A[i, 0]\n"
    text = "def f(A):\n" + loop
    assert calls(text.format(255)) < 2 * calls(text.format(1))
