"""Several statements in one line, of which some run natively."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.calls import imported, same

pytestmark = pytest.mark.usefixtures("rehearsed")

TEXT = """
import looptx


@looptx.kernel
def f(A, x, n):
    t = [5]
    é = 0.0
    {lines}
    return t, é
"""


@pytest.fixture(params=range(6))
def function(request: Any, tmp_path: Path) -> Any:
    lines = (
        "for i in range(n):\n"
        "        if i > 0: t = [2]; A[i] = A[n - 1 - i]; t.append(3)",
        "for i in range(n):\n"
        "        t = ['日本語日本語']; A[0] = 9.0; A[i] = A[n - 1 - i]; t.append(3)",
        "for i in range(n):\n        é = A[i]; A[i] = A[n - 1 - i] * 1.5; é = é.sum()",
        "for i in range(n): x[:] = x * 2 + i; t.append(i)",
        "for i in range(n):\n        t.append(i); m = x > i; x[m] = 0.0; x[m] += 1.0",
        "for i in range(n): é += x[i]\n    for i in range(n): x[i] = é; é = é + 1.0",
    )[request.param]
    return imported(tmp_path / "shared.py", TEXT.format(lines=lines)).f


def test_the_statement_that_was_read_is_the_one_that_runs(function: Any) -> None:
    """The first one of the line was taken for it, or one that as many bytes precede."""
    for n in (0, 1, 2, 5, 7):
        A = np.arange(2.0 * n).reshape(n, 2)
        same(function, A, np.arange(7.0), n)
    assert "LX901" not in str(function.report())


def test_loops_of_one_line_are_native(tmp_path: Path) -> None:
    lines = "for i in range(n): x[i] = x[i] * 2.0"
    kernel = imported(tmp_path / "one.py", TEXT.format(lines=lines)).f
    same(kernel, np.zeros((7, 2)), np.arange(7.0), 7, native=1)


def test_bytes_are_no_characters(tmp_path: Path) -> None:
    lines = "for i in range(n):\n        t = ['é']; A[i] = A[n - 1 - i]; t.append(3)"
    kernel = imported(tmp_path / "bytes.py", TEXT.format(lines=lines)).f
    same(kernel, np.arange(14.0).reshape(7, 2), np.arange(7.0), 7, native=7)


@pytest.mark.parametrize(
    ("lines", "native"),
    [
        ("x[:] = x * 2.0; A[:] = A + 1.0; x += 3.0", 3),
        ("halved(x); halved(A[:, 0])", 2),
        ("if n > 2: x[:] = x * 2.0; A[:, 0] = A[:, 1] * 3.0", 2),
        ("é = 2.0; x[:] = x * é; é = x[0] + 1.0; A[:] = A * é", 2),
        ("x[:] = x + 1.0; é = (x * x + x / 2.0).sum() - 1.0; x[:] = x * é", 2),
        ("x[:] = x + 1.0; return x * 2.0 + x * x", 2),
    ],
)
def test_all_statements_of_a_line_are_native(
    tmp_path: Path, lines: str, native: int
) -> None:
    """The last one of a line took the place of the others, or none was read."""
    text = f"import numpy as np\n{TEXT.format(lines=lines)}"
    text += "\n\ndef halved(x):\n    x *= 0.5\n"
    kernel = imported(tmp_path / "several.py", text).f
    same(kernel, np.arange(14.0).reshape(7, 2), np.arange(7.0), 7, native=native)
    for n in (0, 1, 2, 5):
        same(kernel, np.arange(2.0 * n).reshape(n, 2), np.arange(1.0 + n), n)
    assert "LX901" not in str(kernel.report())


def test_names_that_the_first_statement_of_a_line_changes(tmp_path: Path) -> None:
    """What the function asks at its beginning was taken for asked there, too."""
    text = """
        import looptx

        def scaled(x):
            return x * 2.0

        def other(x):
            return x * 3.0

        def changed():
            global scaled
            scaled = other

        @looptx.kernel
        def f(x):
            changed(); x[:] = scaled(x[0]) * x
    """
    module = imported(tmp_path / "changed.py", text)
    first, x = module.scaled, np.arange(1.0, 8.0)
    for _ in range(2):
        module.scaled = first
        mine = x.copy()
        module.f(mine)
        assert mine.tobytes() == (x[0] * 3.0 * x).tobytes()
