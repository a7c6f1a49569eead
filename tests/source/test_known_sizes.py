"""What is known of sizes before a nest: true in every run, and enough for the proof."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import islpy as isl
import numpy as np
import pytest
from kit.nests import kernel_of

from looptx.cli.text import transform_text
from looptx.language.conditions import parse_condition
from looptx.model.program import Nest
from looptx.poly.budget import budget
from looptx.poly.spaces import Spaces

PROLOGUES = (
    "h = A.shape[0] // 2\nk = B.shape[0] - 1",
    "h = len(A)\nh //= 2\nk = max(h, B.shape[0]) + p",
    "h = p // 2\nk = p - h",
    "h, k = A.shape[0], B.shape[0]\nh, k = k, h",
    "h = k = A.shape[0] % 3",
    "h = A.shape[0]\nif h < 3:\n    return\nk = h - 2",
    "h = A.shape[0]\nif p > 0:\n    h = p - 4\nk = h + 1",
    "h = p\nif h < 2 and B.shape[0] < 2:\n    return\nk = B.shape[0]\n",
    "k = p\nif k < 0:\n    k = 0\nelif k > 2:\n    return\nh = k",
    "h = 0\nwhile h < p:\n    h = 2 * h + 1\nk = h // 3",
    "h = 1\nk = 0\nfor k in range(p, -2, -1):\n    h = h + k",
    "h = A.shape[0] * p\nk = A.shape[0] * B.shape[0]",
    "h = A.size // 2\nk = abs(p) - h % 3",
    "h = len(A) - len(B)\nk = min(h, p)\nh = h * 2 + k",
    "h = A.shape[0]\nA = B\nk = A.shape[0] - h",
    "h = A.shape[0]\nk = h\nh = h - 1 if p else 5",
    "h = int(A.shape[0] / 2)\nk = len(B) ** 2",
    "C = np.zeros(A.shape[0] + 2)\nh = C.shape[0] - 2\nk = len(C)",
    "h = (k := p) - 2\nif (h := h + 1) < 2:\n    return",
    "h = 3\nk = 0\nfor h in range(B.shape[0], 5, 2):\n    k += h",
    "try:\n    h = 7 // p\nexcept ZeroDivisionError:\n    h = -3\nk = h * h",
    "h = A.shape[0] >> 1\nk = B.shape[0] << 1 | 1",
    "h = int(pow(A.shape[0], 2, -5))\nk = int(pow(B.shape[0], 2, 3))",
)
"""What sets ``h`` and ``k``, from arrays ``A`` and ``B`` and an integer ``p``."""

HEAD = "import numpy as np\n\n\ndef f(A, B, p: int, out):\n"
NEST = "for i in range(h, k):\n    out[i + p] = A.shape[0] + B.shape[0]\n"


def _nest(prologue: str, around: str = "") -> Nest:
    body = around + textwrap.indent(NEST, "    " if around else "")
    code = HEAD + textwrap.indent(f"{prologue}\n{body}", "    ")
    return kernel_of(code).nests[-1]


def _runs(prologue: str) -> Iterator[Mapping[str, Any]]:
    """The names where the nest starts, at many sizes."""
    code = HEAD + textwrap.indent(f"{prologue}\nout.update(locals())", "    ")
    space: dict[str, Any] = {}
    exec(code, space)
    for rows, columns, p in itertools.product(range(6), range(4), range(-3, 5)):
        out: dict[str, Any] = {}
        space["f"](np.zeros(rows), np.zeros(columns), p, out)
        if out:
            yield {**space, **out}


@pytest.mark.parametrize("prologue", PROLOGUES)
def test_what_is_known_holds_in_every_run(prologue: str) -> None:
    nest = _nest(prologue)
    ran = 0
    with budget():
        spaces = Spaces(nest, shapes=frozenset({"out"}), known=True)
        for names in _runs(prologue):
            context = spaces.context
            for at, text in enumerate(spaces.parameters):
                if not text.startswith("out."):
                    number = isl.Val(int(eval(text, dict(names))), context.get_ctx())
                    context = context.fix_val(isl.dim_type.param, at, number)
            assert not context.is_empty(), names
            ran += 1
    assert ran > 20


@pytest.mark.parametrize(
    ("prologue", "impossible"),
    [
        ("h = A.shape[0] // 2\nk = 5", "h < 0"),
        ("h = A.shape[0]\nh //= 2\nk = A.shape[0]", "k < 2 * h"),
        ("h = A.shape[0] // 2\nk = A.shape[0]", "k > 2 * h + 1"),
        ("h = max(p, 0)\nk = min(h, 3)", "k > h"),
        ("h = A.shape[0] * B.shape[0]\nk = 4", "h < 0"),
        ("h = p\nk = h + 3", "k != h + 3"),
        ("h = A.shape[0]\nif h < 3:\n    return\nk = h - 3", "k < 0"),
        ("h = 1\nk = 9\nwhile h < p:\n    h *= 2", "h < 0"),
        ("h = 0\nfor k in range(3):\n    h += k", "h < 0"),
        ("C = np.zeros(A.shape[0] + 2)\nh = len(C)\nk = A.shape[0]", "h != k + 2"),
    ],
)
def test_what_cannot_be_is_known(prologue: str, impossible: str) -> None:
    nest = _nest(prologue)
    wrong = parse_condition(impossible)
    with budget():
        assert Spaces(nest, (wrong,), known=True).context.is_empty()


@pytest.mark.parametrize("test", ["h < k", "h > 2 and k > h", "not h >= k"])
def test_the_test_around_a_nest_is_known(test: str) -> None:
    nest = _nest("h = A.shape[0]\nk = B.shape[0]", f"if {test}:\n")
    with budget():
        right, wrong = parse_condition("h < k"), parse_condition("h >= k")
        assert not Spaces(nest, (right,), known=True).context.is_empty()
        assert Spaces(nest, (wrong,), known=True).context.is_empty()


ACCEPTED = (
    "h = x.shape[0] // 2\nM = A.shape[0]\n# looptx: parallel i\n"
    "for i in range(h, M - h):\n    A[i] = 0.0\n    for k in range(h):\n"
    "        A[i] += x[i + k - h]",
    "n = A.shape[0]\nh = n // 2\n# looptx: parallel i\n"
    "for i in range(h):\n    A[i] = A[n - 1 - i]",
    "n = A.shape[0]\nif n < 2:\n    return\nm = n - 2\n# looptx: parallel i\n"
    "for i in range(m, n):\n    A[i] = A[i - 2] if m > 1 else 0.0",
)


@pytest.mark.parametrize("body", ACCEPTED)
def test_a_proof_uses_what_sizes_are_made_of(body: str) -> None:
    code = "def f(A, x):\n" + textwrap.indent(body, "    ") + "\n"
    result = transform_text(code, "f.py")
    assert not result.errors, result.errors[0]


REFUSED = (
    # The product of an extent and an argument may be negative.
    "for i in range(5):\n    A[i] = A[i + x.shape[0] * p + 5]",
    "for i in range(5):\n    A[i] = A[i + p * x.shape[0] + 5]",
    # The argument has another value in the nest than in the test.
    "if p < 5:\n    return\np = p - 20\nfor i in range(5):\n    A[i] = A[i + p + 5]",
    "h = x.shape[0]\nh = h - 9\nfor i in range(5):\n    A[i] = A[i + h + 5]",
)


@pytest.mark.parametrize("body", REFUSED)
def test_nothing_else_is_known(body: str) -> None:
    lines = body.replace("for i", "# looptx: parallel i\nfor i")
    code = "def f(A, x, p: int):\n" + textwrap.indent(lines, "    ") + "\n"
    result = transform_text(code, "f.py")
    assert [error.code for error in result.errors] == ["LX202"]


def test_a_witness_is_a_run_that_ends() -> None:
    code = (
        "def f(A, x):\n    n = len(A)\n    # looptx: parallel i\n"
        "    for i in range(n):\n        x[A[i]] = A[3]\n        x[0] = A[i]\n"
    )
    (error,) = transform_text(code, "f.py").errors
    assert "at n=4: write x[0] at (i=0)" in str(error)


def test_a_witness_has_sizes_of_arrays() -> None:
    body = (
        "h = x.shape[0] // 2\nm = A.shape[0]\n# looptx: parallel i\n"
        "for i in range(h, m - h):\n    A[0] = x[i]\n"
    )
    code = "def f(A, x):\n" + textwrap.indent(body, "    ")
    (error,) = transform_text(code, "f.py").errors
    # With h=0 there is at most one cell of x.
    assert "at h=1, m=4: write A[0] at (i=1) and write A[0] at (i=2)" in str(error)


def test_a_witness_has_the_cells_that_data_choose() -> None:
    code = (
        "def f(D, at):\n    t = 0\n    # looptx: parallel i\n"
        "    for i in range(2):\n        t += D[i - 1, at[0]]\n"
    )
    (error,) = transform_text(code, "f.py").errors
    assert error.code == "LX202"
    # Without a column each iteration raises, the first one, too.
    assert "D.shape[1]=0" not in str(error)
    assert "write t at (i=0) and read t at (i=1)" in str(error)
