"""PolyBench's kernels: Python, C, what looptx writes and compiles agree to the bit."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from examples.polybench import sources
from examples.polybench.measure import Cell, verdict
from examples.polybench.problems import PROBLEMS, Arguments, Problem
from examples.polybench.report import RATIOS, times_table
from examples.polybench.worker import LINE, PAGE, side_by_side
from looptx import cli, kernel
from looptx.language.files import load

EVERY = bool(os.environ.get("LOOPTX_POLYBENCH"))
"""Whether all kernels are compiled (``make test-polybench``, a minute), or a few."""

FEW = (
    "mvt trmm atax cholesky lu trisolv floyd_warshall nussinov adi jacobi_2d seidel_2d"
)
"""Fused and cut nests, gathers, register tiles, time tiles and wavefronts."""

SCHEDULED = tuple(PROBLEMS) if EVERY else tuple(FEW.split())

PLAIN = tuple(PROBLEMS) if EVERY else ("durbin", "nussinov")
"""Compiled without schedules: a recurrence, choices of integers."""

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


def odd(problem: Problem) -> tuple[int, ...]:
    """Sizes that no block divides, and of which no two are the same."""
    mini = problem.sizes["MINI"]
    return tuple(max(3, size // 2 - at) | 1 for at, size in enumerate(mini))


def bits(problem: Problem, arguments: Arguments) -> list[bytes]:
    return [one.tobytes() for one in problem.results(arguments)]


def after(
    function: Callable[..., object], problem: Problem, sizes: tuple[int, ...]
) -> list[bytes]:
    """The bytes of every result of a call."""
    arguments = problem.arguments(sizes)
    with np.errstate(all="ignore"):
        assert function(*arguments) is None
    return bits(problem, arguments)


@functools.cache
def expected(name: str, sizes: tuple[int, ...]) -> list[bytes]:
    """What CPython leaves of the plain loops."""
    problem = PROBLEMS[name]
    space: dict[str, Callable[..., object]] = {}
    exec(compile(sources.plain(problem), str(problem.python), "exec"), space)
    return after(space[name], problem, sizes)


def agrees(name: str, function: Callable[..., object]) -> None:
    """Check a function at the sizes of MINI and at odd ones."""
    problem = PROBLEMS[name]
    for sizes in (odd(problem), problem.sizes["MINI"]):
        assert after(function, problem, sizes) == expected(name, sizes), sizes


def test_there_are_thirty() -> None:
    files = {path.stem for path in sources.HERE.glob("*/*.c")}
    assert len(PROBLEMS) == 30 and files == set(PROBLEMS)


@needs_gcc
def test_c_equals_python(tmp_path: Path) -> None:
    library = tmp_path / "all.so"
    texts = [str(problem.c) for problem in PROBLEMS.values()]
    flags = (
        "-O1",
        "-Wall",
        "-Werror",
        "-fopenmp",
        "-ffp-contract=off",
        "-shared",
        "-fPIC",
    )
    subprocess.run(["gcc", *flags, *texts, "-o", str(library), "-lm"], check=True)
    for name, problem in PROBLEMS.items():
        sizes = problem.sizes["MINI"]
        arguments = problem.arguments(sizes)
        given = [one for one in arguments if not isinstance(one, int)]
        getattr(ctypes.CDLL(str(library)), name)(
            *map(ctypes.c_int64, sizes),
            *(
                ctypes.c_void_p(one.ctypes.data)
                if isinstance(one, np.ndarray)
                else ctypes.c_double(one)
                for one in given
            ),
        )
        assert bits(problem, arguments) == expected(name, sizes), name


@pytest.mark.parametrize("name", PROBLEMS)
def test_transformed_equals_python(
    name: str, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    problem = PROBLEMS[name]
    assert cli.main(["transform", str(problem.python)]) == 0
    text = capfd.readouterr().out
    agrees(name, sources.function(text, name, tmp_path))


@needs_gcc
@pytest.mark.parametrize("name", SCHEDULED)
def test_native_equals_python(name: str, tmp_path: Path) -> None:
    problem = PROBLEMS[name]
    text = sources.scheduled(problem)
    agrees(name, kernel(sources.function(text, name, tmp_path), strict=True))


@needs_gcc
@pytest.mark.parametrize("name", PLAIN)
def test_plain_native_equals_python(name: str, tmp_path: Path) -> None:
    problem = PROBLEMS[name]
    text = sources.plain(problem)
    agrees(name, kernel(sources.function(text, name, tmp_path), strict=True))


@pytest.mark.parametrize("name", PROBLEMS)
def test_threads_of_numba_share_the_loops_that_they_share_in_c(name: str) -> None:
    problem = PROBLEMS[name]
    shared = problem.c.read_text(encoding="utf-8").count("#pragma omp parallel for")
    assert sources.with_prange(problem).count(" in prange(") == shared


@needs_gcc
def test_the_benchmark_prints_a_row_and_writes_a_table_and_a_chart(
    tmp_path: Path,
) -> None:
    chosen = ["MINI", "--only", "trisolv", "--threads", "1", "--repeat", "1", "--write"]
    without = "--without", "clang", "polly", "numba", "pythran"
    command = [sys.executable, "-m", "examples.polybench", *chosen, tmp_path, *without]
    done = subprocess.run(
        command,
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()[:2]] == [
        "kernel",
        "trisolv",
    ]
    table = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "| trisolv |" in table and "WRONG" not in table and "**no**" not in table
    assert "<title>trisolv: " in (tmp_path / "results.svg").read_text(encoding="utf-8")


def test_ratios_are_those_of_the_fastest_that_counts() -> None:
    cells = {
        "looptx plain:1": Cell([4.0], exact=True),
        "looptx:1": Cell([1.0, 2.0, 9.0], exact=True),
        "looptx fast:1": Cell([3.0]),
        "gcc exact:1": Cell([8.0], exact=True),
        "gcc:1": Cell([5.0]),
        "clang fast:1": Cell([0.5], error="WRONG: off by 1e+00"),
        "numba:1": Cell([6.0], exact=False),
    }
    found = {ratio.title: ratio.of(cells) for ratio in RATIOS}
    assert found == {
        "plain / gcc": (0.8, "gcc:1"),
        "exact, 1 thread": (0.25, "gcc exact:1"),
        "best, 1 thread": (0.4, "gcc:1"),
        "exact, 2 threads": None,
        "best, 2 threads": None,
    }
    table = times_table({"lu": cells}, 1)
    assert "- lu, clang fast: WRONG: off by 1e+00" in table and "| 2000 |" in table


@pytest.mark.parametrize(
    ("got", "exact", "expected"),
    [
        ([1.0, 2.0], True, ("", True)),
        ([1.0, 2.0 + 1e-9], False, ("", False)),
        ([1.0, 2.0 + 1e-9], True, ("WRONG: bits differ, by 5e-10", False)),
        ([1.0, 2.1], False, ("WRONG: off by 5e-02", False)),
        ([1.0, np.nan], False, ("WRONG: off by nan", False)),
    ],
)
def test_results_are_judged(
    got: list[float], exact: bool, expected: tuple[str, bool]
) -> None:
    assert verdict([np.array(got)], [np.array([1.0, 2.0])], exact) == expected


def test_other_schedules_are_of_kernels() -> None:
    paths = [str(problem.python) for problem in PROBLEMS.values()]
    for name in ("threads", "fast"):
        schedules = load(sources.HERE / "schedules" / f"{name}.looptx")
        named = [one for path in paths for one in schedules.of(path)]
        assert len(named) == len(schedules.entries) and set(named) <= set(PROBLEMS)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (name, sources.otherwise(problem, 2, fast=False))
        for name, problem in PROBLEMS.items()
        if sources.otherwise(problem, 2, fast=False)
    ],
)
def test_schedules_for_two_threads_keep_every_bit(
    name: str, lines: tuple[str, ...], tmp_path: Path
) -> None:
    problem = PROBLEMS[name]
    function = sources.function(sources.named(problem), name, tmp_path)
    text = "import numpy as np\n\n\n" + kernel(*lines)(function).inspect_python()
    agrees(name, sources.function(text, name, tmp_path))


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="needs Linux")
def test_arrays_of_contenders_may_lie_in_large_pages() -> None:
    given = np.arange(7.0), 3, np.ones((5, 2), "int32")
    own = side_by_side(given)
    assert own[1] == 3
    for at in (0, 2):
        assert np.array_equal(own[at], given[at]) and own[at].dtype == given[at].dtype
    place, here, facts = own[0].ctypes.data, False, list[str]()
    assert place % PAGE == 0 and own[2].ctypes.data % LINE == 0
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"([0-9a-f]+)-([0-9a-f]+) (....)", line):
            here = int(found[1], 16) <= place < int(found[2], 16)
            facts += [found[3]] if here else []
        elif here and line.startswith("VmFlags:"):
            facts += line.split()
    # Memory that may be shared has none, whatever is asked for.
    assert "rw-p" in facts and "hg" in facts


@needs_gcc
def test_the_products_are_compared_and_rated() -> None:
    chosen = ["--sizes", "64", "--types", "float64", "--threads", "1", "--repeat", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "examples.gemm.sizes", *chosen],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    row = done.stdout.splitlines()[-1].split("|")
    assert [cell.strip() for cell in row[1:4]] == ["float64", "64", "1"]
    assert float(row[4]) > 0 and float(row[5]) > 0
