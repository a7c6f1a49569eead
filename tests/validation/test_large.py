"""Validation of loops that run at large sizes only, and of what it leaves out."""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from looptx import LooptxError, kernel, source
from looptx.cli import group
from looptx.cli.text import plan, transform_text
from looptx.lower.types import annotated
from looptx.rewriting import rewritten
from looptx.validation import Subject, Validation, check, validate
from looptx.validation.hashes.integral import Unfit
from looptx.validation.hashes.large import ITERATIONS, Large

MATMUL = """
    def matmul(A, B, C, n, m, p):
        # looptx: tile i=64 j=64 k=64
        for i in range(n):
            for j in range(m):
                for k in range(p):
                    C[i, j] += A[i, k] * B[k, j]
"""
HUGE = MATMUL.replace("64", "512")
SUM = """
    def total(A, n, m):
        s = 0.0
        # looptx: reassociate s | reorder j i | split i 100 | reorder i j ii
        for i in range(n):
            for j in range(m):
                s += A[i, j] * 2.0
        return s
"""
GUARDED = """
    import numpy as np

    def clip(A, B, n, low):
        T = np.empty(n)
        # looptx: tile i=64 j=64
        for i in range(n):
            for j in range(n):
                if A[i, j] > low and not B[j] == 0.0:
                    B[j] = np.sqrt(A[i, j]) + max(B[j], 1.5) - np.pi
                else:
                    B[j] = -A[i, j] if A[i, j] < 0.5 * low else A[i, j] + (i + 2 * j)
"""
GATHER = """
    def gather(A, x, idx, n, m):
        # looptx: split i 128 | split j 128 | reorder i j ii jj
        for i in range(n):
            for j in range(m):
                A[i, j] = x[idx[i], j] / x[i, idx[j] % 3]
"""
TEMPORARY = """
    import numpy as np

    def smooth(A, B):
        n = len(A)
        T = np.empty(n)
        # looptx: split i 2000
        for i in range(n):
            T[i] = A[i] * 2.0
        # looptx: split i 2000
        for i in range(1, n):
            B[i] = T[i] - T[i - 1]
"""

TRIANGLE = """
    def scale(A, n: int):
        # looptx: split j 70
        for i in range(n):
            for j in range(i):
                A[i, j] = A[i, j] * 2.0
"""


def subject(text: str, old: str = "", new: str = "") -> Subject:
    """The function of a text; ``new`` for ``old`` in what looptx makes of it."""
    module = source.read(textwrap.dedent(text), "kernel.py")
    (function,) = module.kernels
    planned = plan(module, function)
    made = rewritten(module, [(function, planned)])
    assert old in made
    after = made.replace(old, new, 1) if old else made
    return Subject(module, function, planned, after, annotated(function))


def large(given: Subject) -> Large:
    """Both versions on hashes."""
    validating = check._Validating(given, "float64")
    return Large(validating.pair, validating.free)


def compared(text: str) -> Validation:
    return validate(subject(text))


@pytest.mark.parametrize("text", [MATMUL, SUM, GUARDED, GATHER, TEMPORARY, TRIANGLE])
def test_all_loops_run_at_some_size(text: str) -> None:
    one = compared(text)
    assert not one.idle
    assert any(each.hashed for each in one.compared)
    assert re.search(r"\d+ large sizes?, [\d,]+ cells equal by hash", str(one))
    assert "NOT compared" not in one.summary


SMALLER = MATMUL.replace("64", "22")
"""Blocks that symbols can run through when hashes found something."""

FULL = "for kk in range(k, k + 22):"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (SMALLER, FULL, "for kk in range(k, k + 21):"),
        (SMALLER, FULL, "for kk in range(k + 21, k - 1, -1):"),
        (SMALLER, "A[ii, kk] * B[kk, jj]", "B[kk, jj] * A[ii, kk]"),
        (SUM, "range(i, i + 100)", "range(i, i + 99)"),
        (SUM, "* 2.0", "* 2.5"),
        (GUARDED, "> low and", "< low and"),
        (GUARDED, "(ii + 2 * jj)", "(ii + 2 * jj + 0.0)"),
        (GATHER, "x[idx[ii], jj]", "x[ii, jj]"),
    ],
)
def test_a_fault_in_a_full_block_is_caught(text: str, old: str, new: str) -> None:
    with pytest.raises(LooptxError) as caught:
        validate(subject(text, old, new))
    assert caught.value.code == "LX208"
    assert "compute something else" in caught.value.message


def test_what_only_hashes_hold_for_different_is_left_to_symbols() -> None:
    """A sum that is begun elsewhere has another hash, and the same terms."""
    text = """
        def total(A, out, n):
            # looptx: reassociate out | split i 3000
            for i in range(n):
                out[0] += A[i]
    """
    right = subject(text)
    wrong = re.sub(
        r"( +)for i in range\(0, n - 2999, 3000\):\n(.*\n)( +)out\[0\] \+= A\[ii\]",
        r"\1for i in range(0, n - 2999, 3000):\n\1    s = A[i]\n\2".replace(r"\2", "")
        + r"\1    for ii in range(i + 1, i + 3000):\n\1        s += A[ii]\n"
        + r"\1    out[0] += s",
        right.after,
    )
    assert wrong != right.after
    other = subject(text, right.after, wrong)
    sizes = {"n": 3001}
    assert large(right).compare(sizes, ITERATIONS) is not None
    assert large(other).compare(sizes, ITERATIONS) is None


def test_hashes_say_the_same_as_symbols() -> None:
    given = subject(GUARDED)
    found = large(given).compare({"n": 64}, ITERATIONS)
    assert found is not None and not hasattr(found, "reason")
    wrong = subject(GUARDED, "max(B[jj], 1.5)", "max(1.5, B[jj])")
    assert large(wrong).compare({"n": 64}, ITERATIONS) is None


@pytest.mark.parametrize(
    "body",
    [
        "A[i, :] = B[i, :]",
        "A[i] = B[i] + A[0, :]",
    ],
)
def test_what_hashes_do_not_do_is_left_to_symbols(body: str) -> None:
    text = f"""
        def f(A, B, n):
            # looptx: trust order | split i 4
            for i in range(n):
                {body}
    """
    with pytest.raises(Unfit):
        large(subject(text))


def test_the_cost_is_bounded() -> None:
    given = large(subject(MATMUL))
    given.compare({"n": 300, "m": 300, "p": 300}, ITERATIONS)
    assert given.used <= ITERATIONS + 300
    assert (
        given.sizes({"n": [4000], "m": [4000], "p": [4000]}) is None or given.left > 0
    )


def lines(text: str, numbers: tuple[int, ...]) -> list[str]:
    return [text.split("\n")[number - 1].strip() for number in numbers]


def test_loops_that_never_ran_are_named_by_lines_of_the_text() -> None:
    result = transform_text(textwrap.dedent(HUGE), "kernel.py", validate=True)
    (one,) = result.validated
    assert one.idle
    assert all(line.startswith("for ") for line in lines(result.text, one.idle))
    tree = ast.parse(result.text)
    assert one.loops == sum(isinstance(node, ast.For) for node in ast.walk(tree))
    assert f"NOT compared: {len(one.idle)} of {one.loops} loops" in one.summary
    assert f"and {one.idle[-1]} of the rewritten file" in one.summary


def test_a_kernel_names_lines_of_inspect_python() -> None:
    @kernel("split i 8 | split j 8")
    def add(A: np.ndarray, n: int, m: int) -> None:
        for i in range(n):
            for j in range(m):
                A[i, j] = A[i, j] + 1.0

    one = add.validate(n=7, m=9)
    shown = lines(add.inspect_python(), one.idle)
    assert shown[0] == "for i in range(0, n - 7, 8):"
    assert all(line.startswith("for ") for line in shown)
    assert "of the text of `inspect_python()`" in one.summary


def run(*words: str) -> tuple[int, str]:
    """Exit status and standard error of a command."""
    result = CliRunner().invoke(group, words, standalone_mode=False)
    return int(result.return_value), result.stderr


def test_strict_fails_where_loops_never_ran(tmp_path: Path) -> None:
    page = tmp_path / "huge.py"
    page.write_text(textwrap.dedent(HUGE))
    words = ("transform", "--validate", str(page), "--diff")
    status, said = run(*words)
    assert status == 0
    assert "NOT compared: " in said
    status, said = run(*words, "--strict")
    assert status == 1
    assert "LX209 not validated: loops of matmul never ran" in said
    assert "of the rewritten file" in said
    page.write_text(textwrap.dedent(MATMUL))
    assert run(*words, "--strict")[0] == 0


def test_strict_is_about_validation(tmp_path: Path) -> None:
    page = tmp_path / "page.py"
    page.write_text(textwrap.dedent(MATMUL))
    result = CliRunner().invoke(group, ["transform", "--strict", str(page)])
    assert result.exit_code == 2
    assert "--strict is about --validate" in result.stderr


def test_nothing_is_said_to_be_validated_that_was_rewritten_before(
    tmp_path: Path,
) -> None:
    page = tmp_path / "page.py"
    page.write_text(textwrap.dedent(MATMUL))
    assert run("transform", "--write", str(page))[0] == 0
    status, said = run("transform", "--validate", "--check", str(page))
    assert status == 0
    assert "kernel matmul: nothing to validate in loops that were rewritten" in said
    assert "1 unchanged" in said
    assert "nothing to validate" not in run("transform", "--check", str(page))[1]
