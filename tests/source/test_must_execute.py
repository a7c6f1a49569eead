"""What may be compared as an integer: only uses that surely happen say so."""

from __future__ import annotations

import textwrap
from contextlib import suppress

import numpy as np
import pytest

from looptx.cli.text import transform_text
from looptx.source import read

NEST = """
    # looptx: split i 2 | reorder ii i
    for i in range(1, n):
        if m < i < m + 1:
            A[i] = A[i - 1]
        else:
            A[i] = B[i] + i
"""

UNREACHED = {
    "a branch": ("", "if go:\n    A[m] = 0"),
    "one behind a return": ("", "if not go:\n    return\nA[m] = 0"),
    "the end of an and": ("", "go and A[m]"),
    "a message": ("assert n > 0, A[m]", ""),
    "a block that hides errors": ("with hidden:\n    A[m] = 0", ""),
    "a type": ("", "x: A[m] = 0"),
    "one of two values": ("", "x = A[m] if go else 0"),
    "a function": ("def g():\n    return A[m]", ""),
    "a try": ("try:\n    A[m] = 0\nexcept IndexError:\n    pass", ""),
    "behind a continue": (
        "",
        "for k in range(3):\n    if k >= 0:\n        continue\n    A[m]",
    ),
}

AROUND = {
    "a loop": "while t > 0:\n    t -= 1\n    {}",
    "a loop that is left": "while True:\n    {}\n    if t:\n        break",
    "a branch": "if t > 0:\n    {}",
    "the other branch": "if t < 0:\n    return\nelse:\n    {}",
    "a try": "try:\n    {}\nfinally:\n    t = 0",
    "a with": "with open(t) as file:\n    {}",
    "a case": "match t:\n    case 1:\n        {}",
}

REACHED = {
    "a loop": ("for j in range(m):\n    B[j] = j", ""),
    "one behind it": ("", "for j in range(m):\n    B[j] = j"),
    "one inside another": (
        "for k in range(2):\n    for j in range(m):\n        B[j] = j",
        "",
    ),
    "a subscript": ("A[m] = 0", ""),
    "a new value": ("m = int(m)", "if go:\n    A[m] = 0"),
    "a new value among others": ("m, k = B.shape[0], 1", "if go:\n    A[m] = 0"),
    "before a return": ("if A[m] > 9:\n    return\nB[0] = 0", ""),
    "in front of a return": ("if go:\n    return\nB[0] = A[m]\nif go:\n    return", ""),
    "the start of an and": ("", "A[m] and go"),
    "the start of a list": ("", "x = [B[j] for j in range(m)]"),
}


def function(before: str, after: str) -> str:
    lines = (before, textwrap.dedent(NEST), after)
    return "def f(A, B, n, m, go):\n" + textwrap.indent("\n".join(lines), "    ")


def run(text: str, m: float) -> list[float]:
    scope: dict[str, object] = {"hidden": suppress(IndexError)}
    exec(text, scope)
    A = np.arange(12.0)
    scope["f"](A, np.ones(12), 8, m, False)  # type: ignore[operator]
    return [float(x) for x in A]


@pytest.mark.parametrize("name", UNREACHED)
def test_what_is_not_reached_tells_nothing(name: str) -> None:
    """With `m` = 2.5 iteration 3 copies its neighbour, which no integer lets it do."""
    text = function(*UNREACHED[name])
    result = transform_text(text, "f.py")
    assert [error.code for error in result.errors] == ["LX203"]
    kept = transform_text(text.replace("reorder ii i", "unroll ii 2"), "f.py")
    assert not kept.errors and kept.changed
    assert run(kept.text, 2.5) == run(text, 2.5)


@pytest.mark.parametrize("name", REACHED)
def test_what_is_reached_tells_an_integer(name: str) -> None:
    text = function(*REACHED[name])
    result = transform_text(text, "f.py")
    assert not result.errors and result.changed
    for m in (0, 3, 7):
        assert run(result.text, m) == run(text, m)


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("behind", [False, True])
def test_what_stands_beside_a_nest_is_reached(around: str, behind: bool) -> None:
    nest = textwrap.dedent(NEST).strip()
    use = "for j in range(m):\n    B[j] = j"
    inside = "\n".join((nest, use) if behind else (use, nest))
    lines = AROUND[around].splitlines()
    found = []
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        found.append(textwrap.indent(inside, indent) if "{}" in line else line)
    text = "def f(A, B, n, m, t):\n" + textwrap.indent("\n".join(found), "    ")
    result = transform_text(text, "f.py")
    assert not result.errors and result.changed


def test_a_loop_tells_what_is_inside_it() -> None:
    text = """
    def f(A, n, m, go):
        for i in range(n):
            if i > 0:
                for j in range(m):
                    if j < m - 1:
                        A[i, j] = A[i - 1, j + 1]
    """
    (kernel,) = read(textwrap.dedent(text), "f.py").kernels
    (statement,) = kernel.nests[0].statements.values()
    assert not statement.opaque


@pytest.mark.parametrize("m", [-2, 0, 3, 9, 2.5])
def test_a_branch_tells_what_its_condition_compares(m: float) -> None:
    text = """
    def f(A, B, n, m, go):
        # looptx: reorder j i
        for i in range(n):
            for j in range(4):
                A[i + j] += 1
            if i < m:
                for j in range(m):
                    A[j] += 2
    """
    text = textwrap.dedent(text)
    (kernel,) = read(text, "f.py").kernels
    assert not any(one.opaque for one in kernel.nests[0].statements.values())
    changed = transform_text(text.replace("reorder j i", "split i 3"), "f.py")
    assert not changed.errors
    try:
        expected = run(text, m)
    except TypeError:
        with pytest.raises(TypeError):
            run(changed.text, m)
    else:
        assert run(changed.text, m) == expected


def test_a_loop_that_lacks_only_a_type_has_a_hint() -> None:
    text = """
    def f(A, B, n, m):
        # looptx: reorder i k j
        for i in range(1, n):
            for j in range(n):
                if j < m:
                    for k in range(3):
                        B[i, j] = B[i - 1, j] + 1
    """
    text = textwrap.dedent(text)
    (error,) = transform_text(text, "f.py").errors
    assert error.code == "LX104"
    assert error.hint.startswith("if `m` is an integer, write `m: int`; ")
    assert not transform_text(text.replace("m)", "m: int)"), "f.py").errors
