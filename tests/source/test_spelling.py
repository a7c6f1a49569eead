"""Loops over elements and named shapes are read as what they mean for arrays."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import numpy as np
import pytest
from semantics.table import exactly

from looptx import source
from looptx.cli.text import transform_text
from looptx.native.analysis.global_bindings import resolved_globals


def written(body: str, arguments: str = "A, B, x, y, n") -> str:
    """A module with a function."""
    text = indent(dedent(body).strip(), "    ")
    return f"import numpy as np\n\n\ndef f({arguments}):\n{text}\n"


def spelled(body: str, arguments: str = "A, B, x, y, n") -> str:
    """The statements of a function as the model reads them."""
    tree = source.read(written(body, arguments), "t.py").parsed.tree
    function = tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    return "\n".join(map(ast.unparse, function.body))


READ = [
    ("for v in x: y[0] += v", "for iv in range(len(x)):\n v = x[iv]\n y[0] += v"),
    (
        "for i, v in enumerate(x): y[i] = v",
        "for i in range(len(x)):\n v = x[i]\n y[i] = v",
    ),
    (
        "for i, v in enumerate(x, 1): y[i] = v",
        "for i in range(1, len(x) + 1):\n v = x[i - 1]\n y[i] = v",
    ),
    ("for i, _ in enumerate(x): y[i] = 0", "for i in range(len(x)):\n y[i] = 0"),
    (
        "for i, v in enumerate(x):\n i += 1\n y[i] = v",
        "for iv in range(len(x)):\n i = iv\n v = x[iv]\n i += 1\n y[i] = v",
    ),
    (
        "for a, b in zip(x, y): A[0, 0] += a * b",
        "for ia in range(min(len(x), len(y))):\n a = x[ia]\n b = y[ia]\n"
        " A[0, 0] += a * b",
    ),
    (
        "ia = 3\nfor a in x: y[0] += a * ia",
        "ia = 3\nfor ia1 in range(len(x)):\n a = x[ia1]\n y[0] += a * ia",
    ),
    (
        # `if`, `is` and `in` are no names.
        "for f in x:\n for s in y: y[0] += f * s",
        "for if1 in range(len(x)):\n f = x[if1]\n"
        " for is1 in range(len(y)):\n  s = y[is1]\n  y[0] += f * s",
    ),
    (
        "for v in self.x: y[0] += v",
        "for iv in range(len(self.x)):\n v = self.x[iv]\n y[0] += v",
    ),
    (
        "for i, j in np.ndindex(A.shape): A[i, j] = i",
        "for i in range(A.shape[0]):\n for j in range(A.shape[1]):\n  A[i, j] = i",
    ),
    (
        "h, m = A.shape\nfor i, j in np.ndindex(h, m): B[i, j] = i",
        "h, m = A.shape\nfor i in range(h):\n for j in range(m):\n  B[i, j] = i",
    ),
    (
        "s = A.shape\nn, m = s\nfor i in range(s[-1]): x[i] = s[0]",
        "s = A.shape\nn, m = A.shape\nfor i in range(A.shape[-1]):\n x[i] = A.shape[0]",
    ),
    (
        "for i in range(A.shape[0]):\n v = A[i]\n"
        " for j in range(len(v)): v[j] += v[-1]",
        "for i in range(A.shape[0]):\n A[i]\n for j in range(A.shape[1]):\n"
        "  A[i][j] += A[i][-1]",
    ),
    (
        "for i in range(n):\n v = A[i + 1]\n for j in range(n): v[j] = v.shape[0]",
        "for i in range(n):\n A[i + 1]\n for j in range(n):\n"
        "  A[i + 1][j] = A[i + 1].shape[0]",
    ),
    (
        "for r in A:\n for v in r: y[0] += v",
        "for ir in range(len(A)):\n A[ir]\n for iv in range(len(A[ir])):\n"
        "  v = A[ir][iv]\n  y[0] += v",
    ),
    (
        "x[0] = A.ndim\nfor i, r in enumerate(A):\n"
        " for j, v in enumerate(r): y[j] += v",
        "x[0] = A.ndim\nfor i in range(len(A)):\n A[i]\n"
        " for j in range(A.shape[1]):\n  v = A[i][j]\n  y[j] += v",
    ),
    (
        "for i in range(n):\n p = B[i]\n for j in range(n):\n  q = p[j]\n  q[0] = 1",
        "for i in range(n):\n B[i]\n for j in range(n):\n  B[i][j]\n  B[i][j][0] = 1",
    ),
    (
        "for v in x[::-1]: y[0] += v",
        "for iv in range(len(x) - 1, -1, -1):\n v = x[iv]\n y[0] += v",
    ),
    (
        "for v in x[2:-1]: y[0] += v",
        "for iv in range(2, len(x) - 1):\n v = x[iv]\n y[0] += v",
    ),
    (
        "for i, v in enumerate(reversed(x)): y[i] = v",
        "for i in range(len(x)):\n v = x[len(x) - 1 - i]\n y[i] = v",
    ),
    (
        "for a, b in zip(x, y[1:]): A[0, 0] += a * b",
        "for ia in range(min(len(x), len(y) - 1)):\n a = x[ia]\n"
        " b = y[1 + ia]\n A[0, 0] += a * b",
    ),
    ("for d in (-1, 0, 1): y[d] += d", "for d in range(-1, 2): y[d] += d"),
    (
        "for a, b in ((0, 1), (1, 0)): y[a] += b",
        "for ia in range(2):\n a = 0 if ia < 1 else 1\n"
        " b = 1 if ia < 1 else 0\n y[a] += b",
    ),
    (
        "for v in (x[0], n): x[n] = v",
        "for once in range(1):\n v1 = x[0]\n"
        " for iv in range(2):\n  v = v1 if iv < 1 else n\n  x[n] = v",
    ),
    (
        "for (i, j), v in np.ndenumerate(A): B[i, j] = v",
        "for i in range(A.shape[0]):\n for j in range(A.shape[1]):\n"
        "  v = A[i, j]\n  B[i, j] = v",
    ),
    (
        "i = 0\nwhile i < n:\n v = A[i]\n x[i] = v[0]\n i += 1",
        "i = 0\nwhile i < n:\n A[i]\n x[i] = A[i][0]\n i += 1",
    ),
    (
        "for i in range(n):\n v = A[i]\n x[i] = v[0]\n"
        "for i in range(n):\n v = B[i]\n y[i] = v[1]",
        "for i in range(n):\n A[i]\n x[i] = A[i][0]\n"
        "for i in range(n):\n B[i]\n y[i] = B[i][1]",
    ),
]


@pytest.mark.parametrize(("body", "plain"), READ)
def test_what_is_read(body: str, plain: str) -> None:
    (function,) = ast.parse(written(plain)).body[-1:]
    assert isinstance(function, ast.FunctionDef)
    wanted = "\n".join(map(ast.unparse, function.body))
    assert spelled(body, "self, A, B, x, y, n") == wanted


@pytest.mark.parametrize(
    "body",
    [
        # What is no array, or may as well be none.
        "for v in ['a', 'b']: y[0] += v",
        "for v in x[n::-1]: y[0] += v",
        "for v in (*x, 1): y[0] += v",
        "for a, b in ((1, 2), (3,)): y[0] += a * b",
        "for a, v in zip(x, y[n:]):\n    n = a\n    x[0] = v",
        "for (i, j), v in np.ndenumerate(A):\n    if v: break",
        "for (i, j), v in np.ndenumerate(A):\n    i += 1\n    x[i] = v",
        "z = [x, y]\nfor v in z: y[0] += v[0]",
        "for v in x.items(): y[0] += v",
        "for v in range(3): y[0] += v",
        "for v in z:\n    for i in range(n): y[i] += v",
        # Names that mean something else, or twice something.
        "for x in x: y[0] += x",
        "for v, v in zip(x, y): A[0, 0] += v",
        "len = n\nfor v in x: y[0] += v",
        "zip = n\nfor a, b in zip(x, y): A[0, 0] += a * b",
        # Iterations that end early all together, or may be counted wrongly.
        "for i, j in np.ndindex(A.shape):\n    if A[i, j]: break",
        "for i, j in np.ndindex(A.shape): A[i, j] = 0\nelse: x[0] = 1",
        "for i, j in np.ndindex(n, n): A[i, j] = 0",
        "for i, j in np.ndindex(A.shape): A[i, j] = 0\ny[0] = i",
        "for i, j in np.ndindex(A.shape): B[i, j] = 0",
        "for a, b in zip(x, y, strict=True): A[0, 0] += a * b",
        "for i, v in enumerate(x, n): y[i] = v",
        "for i, v in enumerate(x, -1): y[i] = v",
        # Shapes that are no longer those that were looked at.
        "s = A.shape\ns = B.shape\nx[0] = s[0]",
        "s = A.shape\nA = B\nx[0] = s[0]",
        "s = A.shape\nA.shape = n, n\nx[0] = s[0]",
        "s = A.shape\nA.resize(n, n)\nx[0] = s[0]",
        "while n:\n    s = A.shape\n    x[0] = s[0]\n    n -= 1",
        "s = A.shape\nx[0] = s[0]\ndef g():\n    nonlocal A\n    A = B",
        # Rows that are used as a whole, or longer than where they get their names.
        "for i in range(n):\n    v = A[i]\n    v.sort()\n    x[i] = v[0]",
        "for i in range(n):\n    v = A[i]\n    x[i] = np.sum(v) + v[0]",
        "for i in range(n):\n    v = A[i]\n    v[1:] = 0",
        "for i in range(n):\n    v = A[i]\n    x[i] = v[0]\ny[0] = v[0]",
        "for i in range(n):\n    if i:\n        v = A[i]\n    x[i] = v[0]",
        "for i in range(n):\n    v = A[i]\n    v[0] = 1\n    del v",
        "for i in range(n):\n    x[i] = v[0]\n    v = A[i]",
        # Other rows by then, or copies of several.
        "for i in range(n):\n    v = A[i]\n    A = B\n    x[i] = v[0]",
        "for i in range(n):\n    v = A[i]\n    i += 1\n    x[i] = v[0]",
        "for i in range(n):\n    v = A[i]\n    for i in range(n):\n        x[i] = v[0]",
        "for i in range(n):\n    v = A[i]\n    x[i] = sum([v[i] for i in range(n)])",
        "for i in range(n):\n    v = A[i]\n    A[i] = y\n    x[i] = v[0]",
        "for i in range(n):\n    v = self.A[i]\n    self.h()\n    x[i] = v[0]",
        "for i in range(n):\n    k = y[i]\n    v = A[k]\n    v[0] = 1",
        "for i in range(2):\n    v = A[n]\n    v[0] = 1",
        "for i in range(n):\n    v = A[i]\n    x[i] = v[0]\ndef g():\n    return v",
        "len = n\nfor i in range(n):\n    v = A[i]\n    x[i] = v[0]",
    ],
)
def test_what_is_left_as_it_is(body: str) -> None:
    function = ast.parse(written(body)).body[-1]
    assert isinstance(function, ast.FunctionDef)
    assert spelled(body) == "\n".join(map(ast.unparse, function.body))


def test_the_loops_inside_of_one_that_cannot_be_read() -> None:
    body = "for r in A:\n    r.sort()\n    for i in range(A.shape[0]): y[i] += r[i]"
    (kernel,) = source.read(written(body), "t.py").kernels
    assert [nest.first.id for nest in kernel.nests] == ["i"]
    module = source.read("def f(x, y):\n    for v in x: y.append(v)", "t.py")
    (error,) = module.left_out["f"]
    assert module.kernels == () and "`y.append(v)`" in error.message


def test_what_stands_around_directives_may_go_through_anything() -> None:
    body = """
    for v in x:
        # looptx: split j 4
        for j in range(n): y[j] += v * j
    """
    result = transform_text(written(body), "t.py")
    assert "for v in x:" in result.text and "range(0, n - 3, 4)" in result.text


SCHEDULED = {
    "numbers": (
        """
        # above
        # looptx: split i 3
        for i, v in enumerate(x):  # behind
            # in front
            y[i] = 2 * v
        """,
        2,
    ),
    "a value that is kept": (
        """
        t = 0.0
        # looptx: split iv 2
        for v in x:
            w = v * v
            t = t / 2 + w
        return t, v
        """,
        2,
    ),
    "pairs by lanes": (
        """
        # looptx: vectorize ia 4
        for a, b in zip(x, y):
            c = a * b
            t = c - a
        """,
        2,
    ),
    "cells": (
        """
        # looptx: tile i=2 j=3
        for i, j in np.ndindex(A.shape):
            # one
            B[i, j] = A[i, j] + x[i]
        """,
        2,
    ),
    "parts": (
        """
        # looptx: split ia 2
        for a, b in zip(x[1:], x[::-1]):
            B[0, 0] = B[0, 0] / 2 + a - b
        # looptx: tile i=2 iv=3
        for i in range(3):
            for v in x[2:-1]:
                B[i, 0] = B[i, 0] / 2 + v
        """,
        3,
    ),
    "what is written out": (
        """
        # looptx: unroll iw 3
        for i in range(1, 4):
            # one
            for d in (-1, 0, 1):
                A[i, 0] += B[i + d, 1]
            for w, e in ((0.5, 1), (0.25, 0), (2.0, 1)):
                A[i, 1] += w * B[i + e, 1]  # two
            for w in (0.5, 0.25, 4.0):
                A[i, 2] += w
        """,
        1,
    ),
    "cells with their values": (
        """
        # looptx: tile i=2 j=3
        for (i, j), v in np.ndenumerate(A):
            B[i, j] = v + x[i]
        """,
        2,
    ),
    "cells the other way round": (
        """
        # looptx: reorder j i
        for i, j in np.ndindex((len(x), 4)):
            B[i, j] = x[i] * j
        """,
        2,
    ),
    "distributed": (
        """
        # looptx: distribute iv
        for v in x:
            B[0, 0] += v
            A[0, 0] += 2 * v
        """,
        3,
    ),
    "in a cache": (
        """
        # looptx: cache_read x at i
        for i in range(3):
            for v in x:
                B[i, 0] = B[i, 0] / 2 + v
        """,
        1,
    ),
    "in other letters": (
        """
        # looptx: split iλ 3
        for λ, ﬁ in zip(x, y):
            B[0, 0] = B[0, 0] / 2 + λ - ﬁ
        """,
        1,
    ),
    "rows": (
        """
        h, m = A.shape
        # looptx: tile i=2 j=3
        for i in range(h):
            # its row
            v = A[i]
            for j in range(1, m):
                # one
                B[i, j] = (v[j - 1]
                           + v[-1])  # two
        """,
        2,
    ),
    "rows that may be outside": (
        """
        # looptx: split i 2
        for i in range(n + len(x) - 3):
            v = A[i]
            for j in range(n - 6):
                v[j] = v[j] / 2 - B[0, j]
        """,
        1,
    ),
    "rows by themselves": (
        """
        x[0] = A.ndim
        # looptx: split ir 2
        for r, s in zip(A, B):
            for a, b in zip(r, s):
                B[0, 0] = B[0, 0] / 2 + a - b
        """,
        1,
    ),
    "rows in conditions": (
        """
        # looptx: unroll i 2
        for i in range(len(A)):
            if x[i] > 0.2:
                v = A[i]
                for j in range(len(v)):
                    v[j] = v[j] / 2 + v[len(v) - 1]
            w = B[i]
            w[0] = w[1] / 2 + w.shape[0]
        """,
        2,
    ),
    "rows in a cache": (
        """
        h, m = A.shape
        # looptx: cache_read A at i
        for i in range(h):
            v = A[i]
            for j in range(m):
                for k in range(3):
                    B[i, j] = B[i, j] / 2 + v[j]
        """,
        1,
    ),
    "backwards": (
        """
        # looptx: split i 3
        for i in reversed(range(n)):
            # one
            x[i] = x[n - 1] / 2 + y[i]
            for j in reversed(range(1, 4, 2)):
                A[i, j] += A[i, j - 1]
        B[0, 0] = i
        """,
        1,
    ),
    "in tiles of a shape": (
        """
        s = A.shape
        # looptx: tile i=2 j=2
        for i in range(s[0]):
            for j in range(s[1]):
                B[i, s[1] - 1 - j] = A[i, j]
        """,
        2,
    ),
}


def run(text: str, n: int) -> object:
    """What a function returns and leaves behind."""
    space: dict[str, Any] = {}
    exec(compile(text, "t.py", "exec"), space)
    table = np.arange(4.0 * n).reshape(n, 4) / 3
    given = [table, table * 0 - 1, np.arange(n) / 7, np.arange(n) + 0.5, n]
    try:
        result = space["f"](*given)
    except (IndexError, UnboundLocalError) as error:
        result = type(error).__name__
    return exactly((result, *given))


@pytest.mark.parametrize("name", SCHEDULED)
def test_rewritten_loops(name: str) -> None:
    text = written(SCHEDULED[name][0])
    result = transform_text(text, "t.py")
    assert not result.errors, result.errors
    assert "enumerate" not in result.text and "zip" not in result.text
    for n in (1, 3, 4, 7):
        assert run(result.text, n) == run(text, n)
    for comment in ("# above", "# behind", "# in front", "# one"):
        assert (comment in result.text) == (comment in text)
    again = transform_text(result.text, "t.py")
    assert (again.text, again.errors) == (result.text, ())


def test_what_is_not_scheduled_stays_as_it_is() -> None:
    body = "for i,v in enumerate( x ):  # odd\n    y[i] = v\n"
    other = "# looptx: split k 2\nfor k in range(n):\n    x[k] = 1\n"
    result = transform_text(written(body + other), "t.py")
    assert "for i,v in enumerate( x ):  # odd\n        y[i] = v\n" in result.text


def test_a_module_with_another_meaning_of_len(tmp_path: Path) -> None:
    text = written("for v in x: y[0] += v") + "\n\ndef len(x):\n    return 0\n"
    assert "for v in x" in ast.unparse(source.read(text, "t.py").parsed.tree)
    path = tmp_path / "another_len.py"
    path.write_text(written("for v in x: y[0] += v", "x, y"))
    given = importlib.util.spec_from_file_location("another_len", path)
    assert given is not None and given.loader is not None
    module = importlib.util.module_from_spec(given)
    given.loader.exec_module(module)
    assert "len" not in resolved_globals(module.f, path.read_text())
    vars(module)["len"] = lambda _: 0
    meant = resolved_globals(module.f, path.read_text())
    assert meant["len"] != "builtins.len"
    left = source.read(path.read_text(), "t.py", meant).parsed.tree
    assert "for v in x" in ast.unparse(left)


def test_a_range_backwards_may_end_below_zero() -> None:
    text = """
    j = 0
    for j in reversed(range(FIRST, 1)):
        y[j] = 1
    # looptx: split i 4 | reorder ii i
    for i in range(n):
        x[i] = x[n + i + j] + 1
    """
    for first, codes in (("-2", ["LX201"]), ("0", [])):
        found = transform_text(written(text.replace("FIRST", first)), "t.py")
        assert [error.code for error in found.errors] == codes
