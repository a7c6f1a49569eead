"""What a function reads after an exception in a nest is what the source left there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kit.carried import same

from looptx.cli.text import transform_text

BODY = """\
# looptx: {directives}
for i in range(n):
    for j in range(n):
        s += A[i, j]
        B[j, i] = s
"""


def function(frame: str, directives: str) -> str:
    """A function whose nest stands at ``NEST`` in a frame."""
    head = "from contextlib import suppress\n\nimport numpy as np\n\n\n"
    lines = []
    for line in f"def f(A, B, n):\n    s = i = 0.0\n{frame}".splitlines():
        before, nest, _ = line.partition("NEST")
        body = BODY.format(directives=directives) if nest else line
        lines += [f"{before if nest else ''}{each}" for each in body.splitlines()]
    return head + "\n".join(lines) + "\n"


def codes(text: str) -> list[str]:
    return [error.code for error in transform_text(text, "f.py").errors]


RESCUED = {
    "handler": "    try:\n        NEST\n    except IndexError:\n        return i\n",
    "behind": (
        "    try:\n        NEST\n    except IndexError:\n        pass\n    return s\n"
    ),
    "finally": "    try:\n        NEST\n    finally:\n        B[0, 0] = i\n",
    "outer": (
        "    try:\n        try:\n            NEST\n        finally:\n            pass\n"
        "    except IndexError:\n        return i, s\n"
    ),
    "suppressed": "    with suppress(IndexError):\n        NEST\n    return i\n",
    "unknown manager": "    with n as q:\n        NEST\n    return i\n",
    "loop": (
        "    while True:\n        try:\n            NEST\n        except IndexError:\n"
        "            break\n    return s\n"
    ),
    "inner function": (
        "    def g():\n        return i\n    try:\n        NEST\n"
        "    except IndexError:\n        g()\n"
    ),
    "inner loop": (
        "    def g():\n        return [i for i in range(3)], i\n"
        "    try:\n        NEST\n    except IndexError:\n        g()\n"
    ),
}

FREE = {
    "nobody": "    try:\n        NEST\n    except IndexError:\n        return 0\n",
    "finally": (
        "    try:\n        NEST\n    finally:\n        B[0, 0] = 1.0\n    return i, s\n"
    ),
    "raised again": (
        "    try:\n        NEST\n    except IndexError:\n        raise\n    return i\n"
    ),
    "errstate": "    with np.errstate(all='ignore'):\n        NEST\n    return i, s\n",
    "bound again": (
        "    try:\n        NEST\n    except IndexError:\n        i = s = 1\n"
    ),
    "their own": (
        "    m = max(i for i in range(3)), sorted([n], key=lambda s: -s)\n"
        "    def g(i):\n        for s in range(i):\n            i += s\n"
        "        return [s for i in m]\n    try:\n        NEST\n"
        "    except IndexError:\n        return g(3), m\n"
    ),
    "in front": (
        "    try:\n        i = 1\n    except IndexError:\n        return i\n    NEST\n"
    ),
}


@pytest.mark.parametrize("frame", RESCUED.values(), ids=RESCUED)
def test_other_loops_are_refused_where_an_exception_shows_them(frame: str) -> None:
    assert codes(function(frame, "split j 4")) == ["LX210"]


@pytest.mark.parametrize("frame", FREE.values(), ids=FREE)
def test_loops_whose_names_nobody_reads_then_are_free(frame: str) -> None:
    assert codes(function(frame, "split j 4")) == []


@pytest.mark.parametrize("directives", ["vectorize B", "nest q", "assume n > 1"])
def test_loops_that_stay_as_they_are_are_free(directives: str) -> None:
    frame = RESCUED["handler"]
    text = function(frame, directives).replace(
        "vectorize B", "trust order | parallel i"
    )
    assert codes(text) == []


def test_scalars_have_their_values_where_loops_are_only_unrolled() -> None:
    assert codes(function(RESCUED["behind"], "unroll j 2")) == []
    assert codes(function(RESCUED["handler"], "unroll j 2")) == []
    assert codes(function(RESCUED["handler"], "unroll i 2")) == ["LX210"]


@pytest.mark.parametrize("rows", range(5))
@pytest.mark.parametrize("frame", ["behind", "handler"])
def test_what_an_exception_leaves_is_the_same(rows: int, frame: str) -> None:
    """The source and the text that is accepted, on arrays that are too small."""
    text = function(RESCUED[frame], "unroll j 2")
    result = transform_text(text, "f.py")
    assert result.changed and not result.errors
    seen = []
    for code in (text, result.text):
        space: dict[str, Any] = {}
        exec(code, space)
        a, b = np.arange(20.0).reshape(4, 5)[:rows], np.zeros((5, 5))
        seen.append((repr(space["f"](a, b, 5)), b.tobytes()))
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    "read",
    [
        "sum(A[i] for i in range(n))",
        "[i for i in range(n) if i > 1]",
        "sorted(A, key=lambda i: -i)",
    ],
)
def test_nothing_is_restored_for_variables_of_others(read: str) -> None:
    text = f"""
def f(A, n):
    # looptx: unroll i 2
    for i in range(n):
        A[i] += i
    return {read}
"""
    assert "    if n > 0:\n" not in same(text, *((np.ones(9), n) for n in (0, 1, 4, 7)))


def test_what_a_comprehension_goes_through_is_restored() -> None:
    text = """
def f(A, n):
    # looptx: unroll i 2
    for i in range(n):
        A[i] += i
    return [i for i in range(i)], [lambda: i][0]()
"""
    same(text, *((np.ones(9), n) for n in (1, 4, 7)))


@pytest.mark.parametrize(
    ("head", "code"),
    [("range(1)", "LX210"), ("range(n)", ""), ("range(2, n)", "")],
)
def test_a_loop_that_runs_once_is_none_any_more(head: str, code: str) -> None:
    """Its variable has a value only behind the nest then."""
    text = f"""
def f(A, n):
    try:
        # looptx: unroll j 4
        for i in {head}:
            for j in range(2):
                A[i + j] += 1
    except IndexError:
        return i
"""
    if code:
        assert codes(text) == [code]
    else:
        same(text, *((np.ones(3), n) for n in (1, 2, 3, 5)))
