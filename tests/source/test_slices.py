"""Statements on slices are read as loops over elements, or stay what they are."""

from __future__ import annotations

import ast
import textwrap

import pytest

from looptx import source
from looptx.errors import LooptxError


def module(line: str, above: str = "", *, plain: bool = False) -> source.Module:
    """A function with a statement in a loop."""
    text = (
        "import numpy as np\n\n\ndef f(A, B, x, c, n):\n"
        f"    {above}\n    for i in range(n):\n        {line}\n"
    )
    return source.survey(text, "t.py", plain=plain)


READ = [
    ("A[i, 1:-1] = c", "for ax0 in range(1, A.shape[1] - 1):\n A[i, ax0] = c"),
    (
        "A[i, 1:] = np.exp(x[1:])",
        "for ax0 in range(1, A.shape[1]):\n A[i, ax0] = np.exp(x[ax0])",
    ),
    ("A[i, :] *= x[:]", "for ax0 in range(A.shape[1]):\n A[i, ax0] *= x[ax0]"),
    ("x[:i] = -B[1, i:]", "for ax0 in range(i):\n x[ax0] = -B[1, ax0 + i]"),
    (
        "A[:, 2:] = x[:-2]",
        "for ax0 in range(A.shape[0]):\n for ax1 in range(2, A.shape[1]):"
        "\n  A[ax0, ax1] = x[ax1 - 2]",
    ),
    (
        "A[i, 1::2] = c",
        "for ax0 in range((A.shape[1] - 1 + 1) // 2):\n A[i, ax0 * 2 + 1] = c",
    ),
    (
        "A[i, ...] = B[i]; B[i, i] = A[i, i]",
        "for ax0 in range(A.shape[1]):\n A[i, ax0] = B[i, ax0]",
    ),
    ("x[:] += B[:, None, n][:, 0]; A[i] = B[i, n]", "x[:] += B[:, None, n][:, 0]"),
    (
        "A[:, :] = B[:, 0, None] * x[None]",
        "for ax0 in range(A.shape[0]):\n for ax1 in range(A.shape[1]):"
        "\n  A[ax0, ax1] = B[ax0, 0] * x[ax1]",
    ),
    (
        "x[1:] = np.sqrt(x[1:])",
        "for ax0 in range(1, x.shape[0]):\n x[ax0] = np.sqrt(x[ax0])",
    ),
    (
        "x[1:] = x[1:] ** 2 * c**n",
        "for ax0 in range(1, x.shape[0]):\n x[ax0] = np.square(x[ax0]) * c ** n",
    ),
    (
        "x[:] = (x[:] - c) ** 2 / (n // 2)",
        "for ax0 in range(x.shape[0]):\n"
        " x[ax0] = (x[ax0] - c) * (x[ax0] - c) / (n // 2)",
    ),
]


@pytest.mark.parametrize(("line", "read"), READ)
def test_slices_are_loops(line, read):
    tree = module(line).parsed.tree
    (loop,) = (
        x for x in ast.walk(tree) if isinstance(x, ast.For) and x.target.id == "i"
    )
    assert ast.unparse(loop.body[0]) == read.replace("\n ", "\n    ").replace(
        "\n     A", "\n        A"
    )


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("x[i:n:n] += c", "for ax0 in range(i, n, n):\n    x[ax0] += c"),
        ("A[::i, 0] = c", "for ax0 in range(0, A.shape[0], i):\n    A[ax0, 0] = c"),
    ],
)
def test_steps_of_what_is_assigned_may_be_no_literals_without_schedule(line, read):
    tree = module(line, plain=True).parsed.tree
    assert textwrap.indent(read, " " * 8) in ast.unparse(tree)


KEPT = (
    "x[::i] = B[0, ::i]",
    "x[::i] = x[:3]",
    "x[::c[0]] = 1",
    "x[::i] = 1",
    "A[i, 1:] **= 2",
    "A[i, 1:] = B[i, 1:] ** -1",
    "A[i, 1:] = B[i, 1:] ** n",
    "A[i, 1:] = 2 ** B[i, 1:]",
    "A[i, 1:] = B[i, 1:] % n",
    "A[i, 1:] = np.sum(x[1:])",
    "A[i, 1:] = A",
    "A[i, 1:] = np.exp(x[:0:-1])",
    "A[i, 1:] = np.sinc(x[1:])",
    "x[1:] = A[:, 1:]",
    "x[c[i]:] = 1",
    "x[n // 2:] = 1",
    "A[i, ::0] = c",
    "A[i, ..., :] = x[..., None, 1:, ...]",
    "A[1:][i] = 1",
    "A[i][1:] = 1",
    "A[i] = B[i]; c = A[i][i]",
    "v = A[i]; v[1:] = 0",
    "A[None, i] = B[i, :]",
    "A[i, n] = B[i, :]",
    "A[i, 1:] = np.where(x[1:], 0, *B)",
    "A[i, 1:] = np.maximum(x[1:], 0, A[i, 1:])",
    "A[i, 1:] = 0 < x[1:] < 1",
    "A[i, 1:] = np.float32(x[1:])",
    "A[i, 1:] = 1j",
    # What needs an array on the way has no text to be written.
    "A[i, 1:] = np.sum(B[i, 1:, None] * B[None, i, 1:], axis=0)",
    "A[i, :] = B[i, :] @ A",
)


@pytest.mark.parametrize("line", KEPT)
def test_others_stay_what_they_are(line):
    found = module(line)
    assert ast.dump(found.parsed.tree) == ast.dump(ast.parse(found.text))


def test_directives_name_their_loops():
    found = module("A[i, 1:] = c", "# looptx: split ax0 4")
    (nest,) = found.kernels[0].nests
    assert [*nest.loops] == ["i", "ax0"]
    assert ast.dump(found.parsed.whole) == ast.dump(ast.parse(found.text))


@pytest.mark.parametrize(
    "line",
    [
        "if x[i] > 0: A[i, 1:] = 0",
        "while c: A[i, 1:] = 0",
        "k = int(x[i]); A[i, :k] = 0",
    ],
)
def test_what_the_entry_cannot_compare_is_not_read(line):
    (errors,) = module(line).left_out.values()
    with pytest.raises(LooptxError, match="slices"):
        raise errors[0]


def test_views_of_one_array_are_not_read():
    (errors,) = module("A[i, 1:] = B[i, :-1]", "B = A[1:]").left_out.values()
    with pytest.raises(LooptxError, match="may share memory"):
        raise errors[0]


def test_arrays_of_one_name_are_told_of_by_that_name():
    text = (
        "def f(A, n):\n    for i in range(n):\n        v = A[i, 1:] * 2\n"
        "        A[i, 0] = v.sum()\n        v = A[i, :2]\n"
        "        A[i, 1] += v.item(0)\n"
    )
    found = source.survey(text, "t.py", plain=True)
    (errors,) = found.left_out.values()
    assert [error.message for error in errors] == ["`v` would be a view of an array"]


@pytest.mark.parametrize("line", ["x[:1] = low", "x[1:] = A[i, 1:] * low"])
def test_arrays_without_axes_have_no_elements_to_read(line):
    found = module(line, "low = np.array(n)", plain=True)
    assert ast.dump(found.parsed.tree) == ast.dump(ast.parse(found.text))
