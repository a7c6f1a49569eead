"""No two iterations of a parallel loop meet: every example and every page.

Two ways to see it: iterations run one by one with arrays that are watched (``races``),
and native threads under ThreadSanitizer, where there is one (``races_threads``).
"""

from __future__ import annotations

import ast
import functools
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pages
import pytest
from fuzz.native.case import Case, collect
from kit import races_threads, sanitize
from kit.races import Parallel, Race, parallel, run
from kit.samples import thinned
from pages_run import Subject
from test_examples import CASES, EXAMPLES

from looptx.emit.cython import module_text

LENGTHS = (0, 40, 1, 37, 68, 5)
"""Blocks of 8, which divide one of these alone, and of 32 and 64 have neighbours."""

LONGER = {"rfactor_6": 2100}
"""The lengths that other blocks need."""
SMALL, LARGE = 300, 20000
"""With so few elements all arguments are tried; with so many none on threads."""

PARALLEL = re.compile(r"# looptx: .*\bparallel ")


def subjects() -> Iterator[tuple[str, str]]:
    """The name and the text of every parallel example."""
    for name in CASES:
        text = (EXAMPLES / name / f"{name}.py").read_text(encoding="utf-8")
        if PARALLEL.search(text):
            yield name, text
    for page in pages.names():
        for number, example in enumerate(pages.examples(page, pages.read(page))):
            if example.kind == "python" and PARALLEL.search(example.before):
                yield f"{page}_{number}", example.before


SUBJECTS = dict(subjects())


def arguments(name: str) -> list[list[Any]]:
    """What to call an example with, few elements first."""
    if name in CASES:
        found = [list(values) for values in CASES[name]()]
    else:
        longer = [LONGER[name]] if name in LONGER else []
        found = list(Subject(SUBJECTS[name]).arguments((*LENGTHS, *longer)))
    return sorted(found, key=elements)


def elements(values: list[Any]) -> int:
    return sum(value.size for value in values if isinstance(value, np.ndarray))


def test_there_are_examples() -> None:
    assert {"matmul", "atax", "parallel_0", "collapse_0", "temp_3"} <= set(SUBJECTS)


@pytest.mark.parametrize("name", thinned(list(SUBJECTS), 2))
def test_iterations_do_not_meet(name: str) -> None:
    subject = parallel(SUBJECTS[name])
    most = 0
    for values in arguments(name):
        if most > 1 and elements(values) > SMALL:
            break
        most = max(most, run(subject, values))
    assert most > 1, "no loop had two iterations"


# Iterations that meet are seen

RACES = {
    "a cell is read by the next": """\
        # looptx: trust order | trust independent A | parallel i
        for i in range(1, n):
            A[i] = A[i - 1] + 1.0
""",
    "a cell is written by all": """\
        # looptx: trust order | trust independent A | parallel i
        for i in range(1, n):
            A[i % 3] = 1.0
""",
    "it is only every fifth": """\
        # looptx: trust order | trust independent A | split i 4 | parallel i
        for i in range(n - 4):
            A[i] = A[i + i % 5 // 4]
""",
}


def written(lines: str) -> str:
    """A function with these lines."""
    return f"def f(A, n):\n{textwrap.indent(textwrap.dedent(lines), '    ')}"


@pytest.mark.parametrize("name", RACES)
def test_iterations_that_meet_are_seen(name: str) -> None:
    subject = parallel(written(RACES[name]))
    with pytest.raises(Race, match=r"iterations \d+ and \d+ meet in A"):
        run(subject, [np.ones(37), 37])


BODIES = {
    "s += A[i]": ("s", ""),
    "A[i] = s; s = A[i] * 2.0": ("", ""),
    "A[0] += 1.0": ("A", ""),
    "A[0] = A[1]": ("A", ""),
    "A[0] = 1.0; A[i] += A[0]": ("", "A"),
    "A[i] += A[0]; A[0] = 1.0": ("", "A"),
    "T[0] = A[i]; A[i] = T[0]": ("", ""),
    "T[0] = A[i]; A[i] = T[0] * 2.0": ("", "T"),
    "n = range(n).stop; A[i] = n": ("", ""),
    "n = range(n + 1).stop; A[i] = n": ("", ""),
}
RIGHT = (
    *("s += A[i]", "A[0] += 1.0"),
    *("T[0] = A[i]; A[i] = T[0] * 2.0", "n = range(n).stop; A[i] = n"),
)
"""Bodies of a parallel loop, what is reduced in it, and what each thread has."""


@pytest.mark.parametrize("body", BODIES)
def test_what_an_iteration_has_for_itself(body: str) -> None:
    reduced, private = map(str.split, BODIES[body])
    text = (
        "def f(A, n):\n    s = 0.0\n    T = {}\n    # looptx: applied parallel i\n"
        f"    for i in range(1, n):\n        {body}\n"
    )
    subject = Parallel(
        text, {4: frozenset("i")}, frozenset(reduced), frozenset(private)
    )
    if body in RIGHT:
        assert run(subject, [np.ones(9), 9]) == 8
    else:
        with pytest.raises(Race):
            run(subject, [np.ones(9), 9])


# The same natively, under ThreadSanitizer


@functools.cache
def native(name: str) -> Case:
    """An example, or ``race``, with calls on four threads."""
    if name == "race":
        text = written(RACES["a cell is written by all"])
        calls = [[np.ones(400), 400]]
    else:
        text = SUBJECTS[name]
        calls = [v for v in arguments(name) if elements(v) < LARGE][-2:]
    plain = re.sub(r"^import numpy as np$", "", text, flags=re.MULTILINE)
    number = len(SUBJECTS) if name == "race" else list(SUBJECTS).index(name)
    (function,) = (
        x.name for x in ast.parse(plain).body if isinstance(x, ast.FunctionDef)
    )
    made = Case(number, plain, function, ())
    names = made.original().__code__.co_varnames
    if "reassociate" in text:
        # Sums of integers are the same in any order.
        calls = [
            [np.rint(v) if isinstance(v, np.ndarray) else v for v in values]
            for values in calls
        ]
    unseen = frozenset(re.findall(r"trust scratch (\w+)", text))
    made.calls = tuple(
        sanitize.Given(dict(zip(names, values, strict=False)), at, unseen=unseen)
        for at, values in enumerate(calls)
    )
    collect(made)
    return made


@pytest.fixture(scope="module")
def threads(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, sanitize.Tool]:
    """A folder with all examples and a race, and what runs them."""
    if why := races_threads.unavailable():
        pytest.skip(why)
    folder = tmp_path_factory.mktemp("threads")
    cases = [native(name) for name in (*SUBJECTS, "race")]
    assert [case.text for case in cases if not case.functions] == []
    tool = races_threads.interpreter(folder)
    functions = [text for case in cases for text in case.functions.values()]
    sanitize.compile_module(module_text(functions), folder, tool)
    return folder, tool


def test_threads_do_not_race(threads: tuple[Path, sanitize.Tool]) -> None:
    folder, tool = threads
    cases = [native(name) for name in SUBJECTS]
    found = sanitize.run(cases, folder, tool)
    assert not found.report, found.report
    assert not found.different, "\n\n".join(found.different)
    assert found.counts["native"] >= len(cases), found.counts


def test_threads_that_race_are_reported(threads: tuple[Path, sanitize.Tool]) -> None:
    folder, tool = threads
    found = sanitize.run([native("race")], folder, tool)
    assert "WARNING: ThreadSanitizer: data race" in found.report
    assert f"case_{len(SUBJECTS)}_0_body0" in found.report
