"""Translation validation: what agrees is accepted, and planted faults are caught."""

from __future__ import annotations

import functools
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from kit.samples import thinned
from pages import Example, examples, names, read

from looptx import LooptxError, kernel, source
from looptx.cli import group
from looptx.cli.text import Result, plan, transform_text
from looptx.lower.types import annotated
from looptx.rewriting import rewritten
from looptx.validation import Subject, Validation, validate

ROOT = Path(__file__).parents[2]
SCHEDULED = sorted(
    path
    for path in (ROOT / "examples").glob("*/**/*.py")
    if re.search(r"^ *(# looptx: (?!nest)|@looptx\.kernel)", path.read_text(), re.M)
)
ACCEPTED = thinned(
    [
        example
        for page in names()
        for example in examples(page, read(page))
        if example.kind == "python"
    ],
    2,
)


def subject(text: str, after: str = "") -> Subject:
    """The one annotated function of a text; ``after`` instead of what looptx writes."""
    module = source.read(textwrap.dedent(text), "kernel.py")
    (function,) = module.kernels
    planned = plan(module, function)
    made = rewritten(module, [(function, planned)])
    return Subject(module, function, planned, after or made, annotated(function))


def validated(text: str, **sizes: object) -> Validation:
    return validate(subject(text), [sizes] if sizes else [])


@pytest.mark.parametrize("path", thinned(SCHEDULED, 3), ids=lambda path: path.name)
def test_the_examples_agree(path: Path) -> None:
    result = transform_text(path.read_text(), path.name, validate=True)
    assert not result.errors
    if "_transformed" not in path.name:
        assert result.validated
    for one in result.validated:
        assert one.ok
        assert len(one.compared) > 4
        # A kernel may divide by one of its sizes.
        raising = [(at, why) for at, why in one.skipped if "raises" in why]
        assert all("=0" in at and "ZeroDivisionError" in why for at, why in raising)


@functools.cache
def accepted(example: Example) -> Result:
    """A block of a page, rewritten and validated."""
    return transform_text(example.before, "page.py", validate=True)


@pytest.mark.parametrize("example", ACCEPTED, ids=str)
def test_the_pages_agree(example: Example) -> None:
    result = accepted(example)
    assert not result.errors
    (one,) = result.validated
    assert one.ok
    assert not one.skipped


def test_the_loops_of_the_pages_run() -> None:
    """Sizes are chosen so that hardly a loop of the rewritten functions stays idle."""
    results = [one for example in ACCEPTED for one in accepted(example).validated]
    idle = sum(len(one.idle) for one in results)
    assert idle < 0.05 * sum(one.loops for one in results)


@dataclass(frozen=True)
class Fault:
    """A wrong rewriting: ``old`` in the rewritten text becomes ``new``."""

    name: str
    text: str
    old: str
    new: str

    def __str__(self) -> str:
        return self.name


MATMUL = """
    def matmul(A, B, C, n, m, p):
        # looptx: tile i=4 k=3 | reorder i k ii kk j
        for i in range(n):
            for j in range(m):
                for k in range(p):
                    C[i, j] += A[i, k] * B[k, j]
"""
SMOOTH = """
    import numpy as np

    def smooth(A, B):
        n = len(A)
        T = np.empty(n)
        # looptx: fuse a b | temp T
        # looptx: nest a
        for i in range(n):
            T[i] = A[i] * 2.0
        # looptx: nest b
        for i in range(1, n):
            B[i] = T[i] - T[i - 1]
"""
SWEEP = """
    def sweep(A, n):
        # looptx: split i 4
        for i in range(1, n):
            A[i] = A[i - 1] + A[i]
"""
SMEAR = """
    def smear(A):
        n = A.shape[0]
        # looptx: nest s
        for i in range(1, n):
            for j in range(n - 1):
                A[i, j] = A[i - 1, j + 1] + 1
"""
SKEWED = """
    def sweep(A):
        n, m = A.shape
        # looptx: skew j i | reorder j i
        for i in range(1, n):
            for j in range(1, m):
                A[i, j] = A[i - 1, j] + A[i, j - 1]
"""
SUM = """
    def total(A, n, m):
        s = 0.0
        # looptx: reassociate s | reorder j i
        for i in range(n):
            for j in range(m):
                s += A[i, j]
        return s
"""
GUARDED = """
    def clip(A, B, n, low):
        # looptx: split i 4
        for i in range(n):
            if A[i] > low:
                B[i] = A[i]
"""
UNROLLED = """
    def add(A, B, n):
        # looptx: unroll i 4
        for i in range(n):
            A[i] = A[i] + B[i] * 0.5
        return i
"""
BLOCK = "range(i, i + 4)"
REST = "range(n - (n + 3) % 4, n)"
SUMMED = "range(k, k + 3)"
FAULTS = [
    Fault("a remainder is dropped", SWEEP, REST, "range(0)"),
    Fault("a remainder starts late", SWEEP, REST, "range(n + 1 - (n + 3) % 4, n)"),
    Fault("a block is too long", SWEEP, BLOCK, "range(i, i + 5)"),
    Fault("a block runs backwards", SWEEP, BLOCK, "range(i + 3, i - 1, -1)"),
    Fault("a full block is lost", SWEEP, "range(1, n - 3, 4)", "range(1, n - 4, 4)"),
    Fault("a subscript is off by one", SWEEP, "A[ii - 1] +", "A[ii - 2] +"),
    Fault("operands change places", SWEEP, "A[ii - 1] + A[ii]", "A[ii] + A[ii - 1]"),
    Fault("subscripts change places", MATMUL, "A[ii, kk]", "A[kk, ii]"),
    Fault("a term is taken twice", MATMUL, SUMMED, "range(k, k + 4)"),
    Fault("a sum changes its order", MATMUL, SUMMED, "range(k + 2, k - 1, -1)"),
    Fault("a sum becomes an assignment", MATMUL, "C[ii, j] +=", "C[ii, j] ="),
    Fault("a temporary is stale", SMOOTH, "T[1 - i % 2]", "T[i % 2]"),
    Fault("a temporary is never set", SMOOTH, "T[0] = A[0] * 2.0", "pass"),
    Fault(
        "loops are swapped illegally",
        SMEAR,
        "for i in range(1, n):\n        for j in range(n - 1):",
        "for j in range(n - 1):\n        for i in range(1, n):",
    ),
    Fault("a triangle begins late", SKEWED, "max(1, j - m + 2)", "max(2, j - m + 2)"),
    Fault("a skewed subscript", SKEWED, "+ A[i, j - i]", "+ A[i, j - i + 2]"),
    Fault("a term of a free sum is lost", SUM, "range(n)", "range(1, n)"),
    Fault("a free sum of other terms", SUM, "s += A[i, j]", "s += A[i, j] + 0.0"),
    Fault("a free sum starts elsewhere", SUM, "s = 0.0", "s = 1.0"),
    Fault("a guard is lost", GUARDED, "A[ii] > low", "True"),
    Fault("a guard is sharper", GUARDED, "A[ii] > low", "A[ii] > low + 1.0"),
    Fault("a loop variable ends elsewhere", UNROLLED, "i = n - 1", "i = n"),
    Fault("another constant", UNROLLED, "B[i + 1] * 0.5", "B[i + 1] * 0.25"),
    Fault("another zero", UNROLLED, "B[i] * 0.5", "B[i] * 0.5 + -0.0"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_planted_fault_is_caught(fault: Fault) -> None:
    right = subject(fault.text)
    assert validate(right).ok
    assert fault.old in right.after
    wrong = subject(fault.text, right.after.replace(fault.old, fault.new))
    with pytest.raises(LooptxError) as caught:
        validate(wrong)
    error = caught.value
    assert error.code == "LX208"
    assert error.exit_status == 1
    assert error.place is not None
    assert "report" in error.hint
    assert re.search(r"at (n=|m=|A\.shape)", "".join(error.detail))


def test_a_difference_shows_both_expressions_and_where_they_part() -> None:
    wrong = subject(SWEEP, subject(SWEEP).after.replace("A[ii - 1] +", "A[ii - 2] +"))
    with pytest.raises(LooptxError) as caught:
        validate(wrong, [{"n": 4}])
    assert caught.value.detail == (
        "at n=4: A[1] is A[0] + A[1]",
        "in the source, and A[5] + A[1]",
        "in the rewritten loops.",
        "Inside, A[0] became A[5].",
    )


def test_an_exception_that_the_source_does_not_raise_is_a_difference() -> None:
    wrong = subject(SWEEP, subject(SWEEP).after.replace("A[ii - 1] +", "A[ii + 90] +"))
    with pytest.raises(LooptxError, match="compute something else") as caught:
        validate(wrong, [{"n": 4}])
    assert "IndexError" in caught.value.detail[0]


def test_the_nest_that_differs_is_named() -> None:
    text = """
        def two(A, B, n):
            # looptx: split i 4
            for i in range(n):
                B[i] = A[0, i]
            # looptx: trust order | reorder j i
            for i in range(1, n):
                for j in range(n - 1):
                    A[i, j] = A[i - 1, j + 1] + B[j]
    """
    with pytest.raises(LooptxError, match="trust order") as caught:
        validated(text)
    assert caught.value.place is not None
    assert caught.value.place.line == 6
    assert "`trust order`" in caught.value.hint


def test_a_trusted_order_that_holds_agrees_and_is_repeated() -> None:
    result = validated(
        """
        def scatter(A, x, idx, n, m):
            # looptx: trust order | reorder j i
            for i in range(n):
                for j in range(m):
                    A[idx[i], j] = x[i, j]
        """
    )
    assert result.ok
    assert "on trust: order" in str(result)


RUN = {
    "attributes": """
        class Grid:
            def step(self, dt):
                # looptx: split i 4
                for i in range(self.n):
                    self.A[i] += dt * self.B[i] * N
                self.t = self.t + dt
    """,
    "bits": """
        def bits(A, n):
            # looptx: split i 4
            for i in range(n):
                A[i] = (A[i] & 3) << 1
    """,
    "row pointers": """
        from math import pi, sqrt

        def product(values, columns, rows, x, y, n):
            # looptx: split i 4
            for i in range(n):
                s = 0.0
                for k in range(rows[i], rows[i + 1]):
                    s += values[k] * x[columns[k]]
                y[i] = sqrt(abs(s)) + pi
    """,
    "branches and locals": """
        import numpy as np

        def kept(A, B, least):
            n = len(A)
            out = np.zeros_like(A)
            # looptx: split i 4
            for i in range(n):
                if A[i] > least and B[i] != 0.0:
                    out[i] = A[i] / B[i]
                else:
                    out[i] = -np.exp(A[i])
            total = out.sum()
            out *= 2.0
            return out, total
    """,
    "whole rows": """
        def rows(A, B):
            # looptx: split i 4
            for i in range(len(A)):
                A[i, :] = B[i, :] * 2.0 + A[i]
    """,
    "negative subscripts": """
        def fold(A, n):
            # looptx: split i 4
            for i in range(n):
                A[i] = A[-1 - i] + 1
    """,
    "far subscripts": """
        def spread(A, B, n):
            # looptx: split i 4
            for i in range(n):
                B[3 * i + 40] = A[n - 1 - i]
    """,
    "transposed": """
        def turn(A, B):
            T = A.T
            n, m = T.shape
            # looptx: reorder j i
            for i in range(n):
                for j in range(m):
                    B[i, j] = T[i, j]
    """,
    "an inner function": """
        def outer(factor):
            def scale(A, n):
                # looptx: split i 4
                for i in range(n):
                    A[i] = A[i] * factor
            return scale
    """,
    "constants of the module": """
        WIDTH = 640
        SCALE = 0.5

        def scale(A, n):
            # looptx: split j 4
            for i in range(n):
                for j in range(WIDTH):
                    A[i, j] = A[i, j] * SCALE
    """,
    "only a copy": """
        def double(A, n):
            B = A.copy()
            # looptx: split i 4
            for i in range(n):
                B[i] = B[i] * 2.0
            return B
    """,
    "keywords and defaults": """
        def scale(A, *, n, factor=2.0, mode="up"):
            w = -factor if mode == "down" else factor
            # looptx: split i 4
            for i in range(n):
                A[i] = A[i] * w
    """,
}


@pytest.mark.parametrize("text", RUN.values(), ids=RUN)
def test_kinds_of_functions_that_run(text: str) -> None:
    result = validated(text)
    assert result.ok
    assert len(result.compared) > 4
    assert not result.idle


@pytest.mark.parametrize("text", RUN.values(), ids=RUN)
def test_a_fault_in_them_is_caught(text: str) -> None:
    """The full blocks take one iteration too few."""
    right = subject(text)
    changed = re.sub(r"\+ 4\):", "+ 3):", right.after)
    if changed == right.after:
        changed = right.after.replace("range(m)", "range(1, m)")
    assert changed != right.after
    with pytest.raises(LooptxError) as caught:
        validate(subject(text, changed))
    assert caught.value.code == "LX208"


def test_sizes_at_which_the_source_raises_are_told() -> None:
    result = validated(
        """
        def f(A):
            n = len(A)
            first = A[0]
            # looptx: split i 4
            for i in range(n):
                A[i] = A[i] + first
        """,
        A=(0,),
    )
    assert not result.ok
    ((where, why),) = result.skipped
    assert where == "n=0"
    assert "IndexError" in why


def test_sums_of_integers_may_take_any_order() -> None:
    result = validated(
        """
        def count(A: "int64[:, :]", s: "int64[:]", n: int, m: int):
            # looptx: reorder j i | split i 2 | reorder ii i
            for i in range(n):
                for j in range(m):
                    s[0] += A[i, j]
        """
    )
    assert result.ok
    assert result.modulo == ("the order of what `s` combines",)


def test_the_result_says_what_may_differ() -> None:
    result = validated(SUM)
    assert result.modulo == ("the order of what `s` combines",)
    assert "modulo the order of what `s` combines" in result.summary


def test_an_order_that_is_not_freed_counts() -> None:
    text = SUM.replace("reassociate s | reorder j i", "trust order | reorder j i")
    with pytest.raises(LooptxError, match="compute something else"):
        validated(text)


REFUSED = {
    "the call of `factor`": "w = factor(n)",
    "the call of `open`": "w = open('kernel.py')",
    "`os`, which is `os`": "import os\n    w = os.sep",
    "the attribute `__class__`": "w = A.__class__",
    "the call of `numpy.linalg.norm`": "import numpy as np\n    w = np.linalg.norm(A)",
    "has no attribute 'mean'": "w = A.mean()",
    "at every size": "w = 1\n    while w:\n        w = w + 1",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_cannot_be_run_is_an_error(reason: str) -> None:
    text = (
        f"def scale(A, n):\n    {REFUSED[reason]}\n"
        "    # looptx: split i 4\n    for i in range(n):\n        A[i] = A[i] * w\n"
    )
    result = transform_text(text, "kernel.py", validate=True)
    (error,) = result.errors
    assert error.code == "LX209"
    assert error.exit_status == 1
    assert reason in "".join(error.detail)
    assert error.place is not None
    assert not result.changed
    assert transform_text(text, "kernel.py").changed


def test_what_stands_around_the_function_is_not_run(tmp_path: Path) -> None:
    """Neither its module, nor decorators, defaults and annotations."""
    trap = tmp_path / "sprung"
    text = f"""
        open({str(trap)!r}, "w")

        @open({str(trap)!r}, "w")
        def double(A: open({str(trap)!r}, "w"), n, *, m=open({str(trap)!r}, "w")):
            # looptx: split i 4
            for i in range(n):
                A[i] = A[i] * 2.0
    """
    assert validated(text).ok
    assert not trap.exists()


@kernel("tile i=4 j=4 | reorder j i jj ii")
def grow(A: np.ndarray, B: np.ndarray, rate: float) -> None:
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            B[i, j] = A[i, j] * rate


def test_a_kernel_is_validated_at_the_sizes_asked_for() -> None:
    one = grow.validate(n=5, m=7)
    assert [dict(each.sizes) for each in one.compared] == [{"n": 5, "m": 7}]
    assert one.cells == 70
    assert "n=5, m=7: 70 cells" in str(one)
    several = grow.validate({"n": 5}, {"A.shape[1]": 9}, A=(2, 3))
    sizes = [tuple(each.sizes.values()) for each in several.compared]
    assert sizes == [(5, 5), (5, 9), (2, 3)]
    assert len(grow.validate().compared) > 8
    assert not grow.validate(n=0).ok


@pytest.mark.parametrize(
    ("code", "sizes"),
    [
        ("LX104", {"k": 3}),
        ("LX103", {"n": 2.5}),
        ("LX103", {"n": True}),
        ("LX103", {"n": -1}),
        ("LX103", {"A": (1,)}),
        ("LX103", {"A": 5}),
        ("LX103", 5),
        ("LX103", {5: 5}),
    ],
)
def test_wrong_sizes_are_errors(code: str, sizes: Any) -> None:
    with pytest.raises(LooptxError) as caught:
        grow.validate(sizes)
    assert caught.value.code == code


def test_a_kernel_that_differs_raises_with_a_place_in_its_file() -> None:
    @kernel
    def smear(A: np.ndarray) -> None:
        n = A.shape[0]
        # looptx: trust order | reorder j i
        for i in range(1, n):
            for j in range(n - 1):
                A[i, j] = A[i - 1, j + 1] + 1

    with pytest.raises(LooptxError) as caught:
        smear.validate()
    place = caught.value.place
    assert place is not None
    assert place.file == __file__
    assert "trust order" in Path(__file__).read_text().splitlines()[place.line - 1]


AGREES = textwrap.dedent(SWEEP)
DIFFERS = textwrap.dedent(SMEAR).replace("nest s", "trust order | reorder j i")


def run(*words: str, given: str = "") -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a command."""
    result = CliRunner().invoke(
        group, words, input=given, standalone_mode=False, catch_exceptions=False
    )
    return int(result.return_value), result.stdout, result.stderr


def test_the_command_writes_what_agrees_and_only_that(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(AGREES)
    bad.write_text(DIFFERS)
    status, _, said = run("transform", "--validate", "--write", str(good), str(bad))
    assert status == 1
    assert "# looptx: applied" in good.read_text()
    assert bad.read_text() == DIFFERS
    assert f"{good}: validated: kernel sweep: " in said
    assert "LX208" in said
    assert "1 file transformed, 1 error" in said


def test_the_command_says_what_was_compared(tmp_path: Path) -> None:
    page = tmp_path / "good.py"
    page.write_text(AGREES)
    words = ("transform", "--validate", str(page))
    line = r"validated: kernel sweep: \d+ sizes, [\d,]+ cells, [\d,]+ expressions equal"
    status, shown, said = run(*words)
    assert status == 0
    assert "applied" in shown
    assert re.search(f"^{line}$", said, re.MULTILINE)
    assert run(*words, "--quiet")[2] == ""
    status, shown, said = run(*words, "--check")
    assert (status, shown) == (1, f"{page}\n")
    assert re.search(line, said)
    status, shown, said = run(*words, "--diff")
    assert status == 0
    assert "+    # looptx: applied" in shown
    status, shown, _ = run(*words, "--output-format", "json")
    (entry,) = json.loads(shown)["files"]
    (one,) = entry["validated"]
    assert one["kernel"] == "sweep"
    assert one["ok"] and one["cells"] > 10


def test_the_command_validates_standard_input() -> None:
    status, shown, said = run("transform", "--validate", "-", given=AGREES)
    assert status == 0
    assert "applied" in shown
    assert "validated: kernel sweep" in said
    status, shown, said = run("transform", "--validate", "-", given=DIFFERS)
    assert status == 1
    assert "LX208" in said


def test_there_is_nothing_to_validate_in_what_does_not_change(tmp_path: Path) -> None:
    page = tmp_path / "good.py"
    page.write_text(AGREES)
    assert run("transform", "--validate", "--write", str(page))[0] == 0
    status, _, said = run("transform", "--validate", "--check", str(page))
    assert status == 0
    assert "validated" not in said


HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


def hook(name: str, folder: Path) -> tuple[int, bool]:
    """The exit status of a hook on the staged files, and whether it changed one."""
    (found,) = (one for one in HOOKS if one["id"] == name)
    program, *words = shlex.split(found["entry"])
    assert program == "looptx"
    listed = subprocess.run(
        ["git", "diff", "--staged", "--name-only"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    staged = [one for one in listed.stdout.split() if one.endswith(".py")]
    before = [(folder / one).read_bytes() for one in staged]
    done = subprocess.run(
        [sys.executable, "-m", "looptx", *words, *staged],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
    )
    return done.returncode, before != [(folder / one).read_bytes() for one in staged]


def staged(folder: Path, text: str) -> None:
    """A repository in which one file with this text is staged, besides another."""
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / "kernels.py").write_text(text)
    (folder / "other.py").write_text("print('no loops')\n")
    subprocess.run(["git", "add", "kernels.py", "other.py"], cwd=folder, check=True)


def test_the_hooks_are_complete() -> None:
    assert [one["id"] for one in HOOKS] == ["looptx", "looptx-check", "looptx-validate"]
    for one in HOOKS:
        assert one["language"] == "python"
        assert one["types"] == ["python"]
        assert one["require_serial"] is True


def test_the_hooks_on_a_file_that_agrees(tmp_path: Path) -> None:
    staged(tmp_path, AGREES)
    assert hook("looptx-validate", tmp_path) == (0, False)
    assert hook("looptx-check", tmp_path) == (1, False)
    assert hook("looptx", tmp_path) == (0, True)
    assert hook("looptx", tmp_path) == (0, False)
    assert hook("looptx-check", tmp_path) == (0, False)


def test_the_hooks_on_a_file_that_differs(tmp_path: Path) -> None:
    staged(tmp_path, DIFFERS)
    assert hook("looptx", tmp_path) == (1, False)
    assert hook("looptx-validate", tmp_path) == (1, False)


def test_a_function_that_imports_in_front_of_each_nest() -> None:
    text = """
def f(A, B, n: int):
    # looptx: cache_read A at i
    for i in range(n):
        for j in range(n):
            B[i, j] = A[i, j] + 1.0
    # looptx: cache_read B at i
    for i in range(n):
        for j in range(n):
            A[i, j] = B[i, j] * 2.0
"""
    result = transform_text(text, "f.py", validate=True)
    assert result.text.count("import numpy") == 2
    assert not result.errors
    assert result.validated[0].ok


def test_what_assigns_variables_around_it_cannot_be_run() -> None:
    text = """\
def outer(A):
    total = 0.0

    def inner():
        nonlocal total
        # looptx: split i 4
        for i in range(A.shape[0]):
            A[i] = A[i] * 2.0
        total += 1.0

    inner()
    return total
"""
    (error,) = transform_text(text, "k.py", validate=True).errors
    assert "k.py:5:9: LX209" in str(error)
    assert "variables of the function around it" in str(error)
    assert transform_text(text, "k.py").changed
