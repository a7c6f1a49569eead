"""Lines that looptx tells of a decorated function are those of its file, wherever."""

from __future__ import annotations

import textwrap
import types
import warnings
from pathlib import Path

import numpy as np
import pytest
from kit.calls import imported

from looptx.errors import LooptxError, Malformed, Place
from looptx.native.diagnostics.records import error_from, record_of

ABOVE = "import math\n\nimport numpy as np\n\nimport looptx\n\n" + "other = 1\n" * 31
"""What stands above a function in the middle of a file."""

TWICE = """
# looptx: unroll j 2
for i in range(n):
    for j in range(n):  # here
        A[i, j] = 1.0  # there
    for j in range(n):
        B[i, j] = 2.0
"""

KEPT = """
# looptx: unroll j 2
for i in range(n):
    if A[i, i] > 0.0:
        for j in range(n):  # here
            B[i, j] = 1.0
"""

INSIDE = """
# looptx: unroll k 2
for i in range(n):
    for j in range(int(A[i, i])):  # here
        for k in range(n):
            B[j, k] = 1.0
"""

REASSOCIATED = """
s = 0.0
# looptx: reassociate s
for i in range(n):
    if A[i, i] > 0.0:  # here
        s += A[i, i]
        B[i, i] = 1.0
return s
"""

RETURNED = """
T = np.zeros((n, n))
# looptx: temp T
for i in range(n):
    for j in range(n):
        T[i, j] = A[i, j]
        B[i, j] = T[i, j]
return T  # here
"""

BETWEEN = """
# looptx: fuse n0 n1
for i in range(n):
    A[i, 0] = 1.0
q = A.sum()  # here
for i in range(n):
    A[i, 1] = 2.0
"""

INLINED = """
# looptx: nest p
for i in range(n):
    A[i, 0] = B[i, 0]  # here
# looptx: compute_inline p
for i in range(n):
    B[i, 1] = A[i, 0]
"""

WHOLE = """
# looptx: cache_read A
for i in range(n):
    B[i, 0] = A[int(B[i, 1]), 0]  # here
"""

ELSEWHERE = """
for i in range(n):
    # looptx: cache_read A at j
    for j in range(n):
        B[i, j] = 1.0
    B[i, 0] = A[i, 0]  # here
"""

DEPENDS = """
# looptx: cache_write B at i
for i in range(n):
    if A[i, 0] > 0.0:
        B[i, 1] = 1.0  # here
"""

FACTORED = """
# looptx: rfactor j
for i in range(n):
    for j in range(n):
        A[i, 0] += B[i, j]  # here
        A[i, 1] += B[j, i]  # there
"""

EARLIER = """
# looptx: trust scratch A
# looptx: temp A
for i in range(n):
    B[i, 0] = A[i, 0]  # here
    A[i, 0] = 1.0
"""

TOLD = [
    (TWICE, "j#1: the loop of line {here}, around `A[i, j] = 1.0` (line {there})"),
    (KEPT, "`j` of line {here} cannot be scheduled"),
    (INSIDE, "it stands in the loop `j` of line {here}"),
    (REASSOCIATED, "not alone under the `if` of line {here}"),
    (RETURNED, "it is returned in line {here}"),
    (BETWEEN, "line {here}, `q = A.sum()  # here`, stands between"),
    (INLINED, "refused: to compute line {here} where it is read"),
    (WHOLE, "not used element by element in line {here}"),
    (ELSEWHERE, "`A` is read in line {here}"),
    (DEPENDS, "whether line {here} writes `B[i, 1]` depends on data"),
    (
        FACTORED,
        "`A[i, 0] += B[i, j]` (line {here}) and `A[i, 1] += B[j, i]` (line {there})",
    ),
    (EARLIER, "line {here} may read it before it is written"),
]


def made(path: Path, body: str, *, inside: bool = False) -> types.ModuleType:
    """A module with a kernel ``f`` in the middle.

    Args:
        path: its file. body: of the kernel. inside: whether it is one in a class.
    """
    head = "@looptx.kernel\ndef f(A, B, n):\n"
    text = head + textwrap.indent(body.strip("\n"), "    ")
    if inside:
        text = "class C:\n" + textwrap.indent(text, "    ") + "\n\nf = C.f"
    return imported(path, f"{ABOVE}{text}\n")


def marked(path: Path) -> dict[str, int]:
    """The lines of a file that have marks, by these."""
    lines = enumerate(path.read_text().split("\n"), 1)
    return {line.partition("  # ")[2]: at for at, line in lines if "  # " in line}


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(("body", "told"), TOLD)
def test_errors_tell_lines_of_the_file(
    tmp_path: Path, body: str, told: str, inside: bool
) -> None:
    path = tmp_path / "middle.py"
    module = made(path, body, inside=inside)
    with pytest.raises(LooptxError) as caught:
        module.f.inspect_python()
    assert told.format(**marked(path)) in " ".join(map(str, caught.value.together))


RAISES = """
# looptx: vectorize i
for i in range(n):
    B[i, 0] = math.sqrt(A[i, 0])  # here
"""

SCALAR = """
# looptx: vectorize i
for i in range(n):
    B[i, 0] = A[i, 0]  # here
    for j in range(i):
        B[i, 0] += A[i, 1]
"""

NOTES = [
    (RAISES, "ran in the order as written: line {here}: "),
    (SCALAR, "runs without explicit vectors: line {here}: "),
]


@pytest.mark.parametrize(("body", "told"), NOTES)
def test_notes_of_a_kernel_that_moves_in_its_file(
    fresh_cache: Path, tmp_path: Path, body: str, told: str
) -> None:
    path = tmp_path / "moving.py"
    made(path, body)
    text = path.read_text()
    for origin, more in (("compiled", ""), ("cache", "\n" * 7)):
        module = imported(tmp_path / f"{origin}.py", more + text)
        lines = marked(tmp_path / f"{origin}.py")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module.f(np.ones((5, 5)), np.ones((5, 5)), 5)
        report = module.f.report()
        assert f"{origin} in" in str(report)
        assert told.format(**lines) in str(report)
        assert report.nests[0].line == lines["looptx: vectorize i"] + 1


UNORDERED = """
for i in range(n):
    A[i, 0] = min(A[i, 0], A[i, 1])  # here
    B[i, 0] = A[i, 0]
"""


def test_kept_errors_of_a_kernel_that_moves_in_its_file(
    fresh_cache: Path, tmp_path: Path
) -> None:
    path = tmp_path / "moving.py"
    made(path, UNORDERED)
    text = path.read_text()
    for number, more in enumerate(("", "", "\n" * 7, "\n" * 7)):
        path = tmp_path / f"moved{number}.py"
        module = imported(path, more + text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module.f(np.ones((5, 5), complex), np.ones((5, 5), complex), 5)
        (why,) = module.f.report().nests[0].failures
        assert f"{path}:{marked(path)['here']}:" in why


def test_a_kept_error_of_a_function_that_moved_is_none() -> None:
    error = Malformed("LX504", "line 4 may raise", Place("f.py", 4))
    assert error_from(record_of(error, 3), "f.py", 5) is None
    found = error_from(record_of(error, 3), "f.py", 3)
    assert found is not None and found.place == error.place


IDLE = """
# looptx: split i 64
for i in range(n):
    B[i, 0] = A[i, 0]
"""


def test_validated_loops_have_lines_of_the_rewritten_text(tmp_path: Path) -> None:
    module = made(tmp_path / "checked.py", IDLE)
    lines = module.f.inspect_python().split("\n")
    assert lines[0].startswith("def f")
    result = module.f.validate(n=5)
    assert result.idle
    assert all("for " in lines[at - 1] for at in result.idle)
